import type { StandardSchemaV1 } from '@standard-schema/spec'
import { KeepsakeError } from '../errors.ts'
import { checkRowText, checkText, describeType } from '../rows/keys.ts'
import type { AnyMessage } from '../message.ts'
import type { Storable } from '../values/normalise.ts'
import { MAX_KEY_BYTES, MAX_SEQ } from '../rows/row-store.ts'
import { storableOf } from '../values/standard-schema.ts'
import { idClaimKey } from './thread-keys.ts'

/** Messages as they will be stored, before missing ids and times are filled in. */
export type CheckedMessage = { [key: string]: Storable } & { role: string; id?: string; createdAtMs?: number }

/** Checks and copies what `append` was given. Throws `invalid_value` and names the message and what is wrong with it. */
export async function checkMessages<T extends AnyMessage>(
  input: readonly T[],
  schema: StandardSchemaV1<unknown, T> | undefined,
): Promise<CheckedMessage[]> {
  if (!Array.isArray(input)) throw invalid(`messages must be a list; it is ${describeType(input)}.`)
  const messages: CheckedMessage[] = []
  const ids = new Set<string>()
  for (const [index, given] of Array.from<unknown>(input).entries()) {
    const where = `messages[${index}]`
    const storable = storableOf(schema, given, where)
    // No wait but for a schema that waits: what the caller changes after the call is not what is stored.
    const message = storable instanceof Promise ? await storable : storable
    if (typeof message !== 'object' || message === null || Array.isArray(message) || message instanceof Uint8Array) {
      throw invalid(`${where} must be an object with a role; it is ${describeType(given)}.`)
    }
    checkMessage(message, where)
    if (message.id !== undefined) {
      if (ids.has(message.id))
        throw invalid(`${where}.id is the id of an earlier message of the same call; ids are unique in a thread.`)
      ids.add(message.id)
    }
    messages.push(message)
  }
  return messages
}

function checkMessage(message: { [key: string]: Storable }, where: string): asserts message is CheckedMessage {
  const { role, id, createdAtMs } = message
  if (typeof role !== 'string' || role === '') {
    throw invalid(`${where}.role must be a text such as 'user'; it is ${role === '' ? 'empty' : describeType(role)}.`)
  }
  if (id !== undefined) {
    if (typeof id !== 'string' || id === '') {
      throw invalid(
        `${where}.id must be a text that is not empty, or left out; it is ${id === '' ? 'empty' : describeType(id)}.`,
      )
    }
    checkText(id, `${where}.id`)
    checkRowText(idClaimKey(MAX_SEQ, id), `${where}.id, as stored,`, MAX_KEY_BYTES)
  }
  if (createdAtMs !== undefined && (!Number.isSafeInteger(createdAtMs) || (createdAtMs as number) < 0)) {
    throw invalid(`${where}.createdAtMs must be a whole number of Unix milliseconds, or left out.`)
  }
}

function invalid(message: string): KeepsakeError {
  return new KeepsakeError('invalid_value', message)
}

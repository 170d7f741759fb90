import { describeType, encodeTuple, KeepsakeError, MAX_ENTITY_BYTES, MAX_KEY_BYTES, utf8Length } from '@keepsake/core'
import { readyKey } from './rows/shard.ts'

/** The row entity of a user's entity. `kind` keeps engines of different makes apart: `entity`, or `thread` for agents. */
export function rowEntity(kind: string, id: string): string {
  return encodeTuple([kind, id])
}

/** Throws `invalid_key` unless the names of an entity and an event can be part of keys. */
export function checkNamesOfEvent(kind: string, entity: unknown, eventId: unknown): void {
  checkName(entity, 'entity')
  checkName(eventId, 'event.id')
  checkBytes(rowEntity(kind, entity), 'entity, as stored,', MAX_ENTITY_BYTES)
  // The longest of the keys that hold both.
  checkBytes(readyKey(0, entity, eventId), 'entity and event.id, as stored,', MAX_KEY_BYTES)
}

export function checkName(name: unknown, what: string): asserts name is string {
  if (typeof name !== 'string' || name === '' || !name.isWellFormed()) {
    const found = name === '' ? 'empty' : typeof name === 'string' ? 'not well-formed' : describeType(name)
    throw new KeepsakeError('invalid_key', `${what} must be a text; it is ${found}.`)
  }
}

function checkBytes(text: string, what: string, maxBytes: number): void {
  const bytes = utf8Length(text)
  if (bytes <= maxBytes) return
  throw new KeepsakeError('invalid_key', `${what} has ${bytes} bytes in UTF-8; at most ${maxBytes} are allowed.`, {
    details: { bytes, maxBytes },
  })
}

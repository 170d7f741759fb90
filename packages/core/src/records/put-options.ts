import { KeepsakeError } from '../errors.ts'
import { checkedSubject } from '../owner.ts'
import { checkRowText, checkText, copyList, describeType } from '../rows/keys.ts'
import type { CallOptions } from '../rows/row-store.ts'
import { checkTtl } from '../ttl.ts'
import { checkPaths } from './index-options.ts'
import type { Draft } from './record-rows.ts'
import type { PutOptions } from './records.ts'

/** An entry keeps 16 of them. */
const MAX_OP_ID_BYTES = 512

/** The options of one write: checked, and of the caller's objects nothing that can change. */
export interface TakenOptions {
  ifVersion?: number | null
  opId?: string
  ttlMs?: number
  fields: Pick<Draft, 'subject' | 'sources' | 'indexed'>
  call: CallOptions
}

/** Throws `invalid_value` or `invalid_key` for options that cannot be used. */
export function takeOptions(options: PutOptions): TakenOptions {
  const { ttlMs, ifVersion, opId, subject, sources, index, signal } = options
  checkTtl(ttlMs)
  if (opId !== undefined) checkOpId(opId)
  // The version of an entry that is not there is undefined: it must not turn a guarded write into a blind one.
  if (ifVersion === undefined && 'ifVersion' in options) {
    throw invalid(
      'ifVersion is undefined. Pass the version that was read, null for "only if there is none", or leave it out.',
    )
  }
  if (ifVersion !== undefined && ifVersion !== null && !Number.isSafeInteger(ifVersion)) {
    const shown = typeof ifVersion === 'number' ? String(ifVersion) : describeType(ifVersion)
    throw invalid(`ifVersion must be a version that was read, or null for "only if there is none"; it is ${shown}.`)
  }
  return {
    ...(ttlMs !== undefined && { ttlMs }),
    ...(ifVersion !== undefined && { ifVersion }),
    ...(opId !== undefined && { opId }),
    fields: {
      ...(sources !== undefined && { sources: copySources(sources) }),
      ...(subject !== undefined && { subject: checkedSubject(subject) }),
      ...(index !== undefined && { indexed: copyIndexed(index) }),
    },
    call: { signal },
  }
}

function checkOpId(opId: string): void {
  checkText(opId, 'opId')
  if (opId === '')
    throw new KeepsakeError('invalid_key', 'opId is empty. Give the write a name of its own, or leave it out.')
  checkRowText(opId, 'opId', MAX_OP_ID_BYTES)
}

function copySources(sources: unknown): string[] {
  const copy: unknown[] | undefined = Array.isArray(sources) ? copyList(sources) : undefined
  if (copy?.every((source) => typeof source === 'string')) return copy
  throw invalid(`sources must be a list of texts; it is ${describeType(sources)}.`)
}

function copyIndexed(index: unknown): string[] {
  if (index === false) return []
  checkPaths(index, 'index')
  return copyList(index)
}

function invalid(message: string): KeepsakeError {
  return new KeepsakeError('invalid_value', message)
}

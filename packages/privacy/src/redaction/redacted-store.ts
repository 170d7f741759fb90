import {
  decodeEnvelope,
  encodeEnvelope,
  KeepsakeError,
  peekEnvelope,
  checkRowWrites,
  throwIfAborted,
  type CallOptions,
  type RowStore,
  type RowWrite,
  type WriteResult,
} from '@keepsake/core'
import { checkStore } from '../check-store.ts'
import { SEALED_MARK } from '../encryption/sealed-mark.ts'
import { createRedactor, type RedactionOptions, type Redactor } from './redactor.ts'

export interface RedactedStoreOptions extends RedactionOptions {
  /** Instead of patterns and a secret: a redactor that is used elsewhere too. */
  redactor?: Redactor
}

/**
 * A store that keeps no emails, telephone numbers, cards, bank accounts, IP addresses, keys and what else `patterns` find:
 * every text of a value is redacted before it reaches `store`, names of fields too. What was stored before stays as it is.
 *
 * Owners, subjects, ids, keys of records and paths of files are not texts of a value and stay: do not make them of emails.
 * The same write gives the same bytes, so guards and replays work as before. Records that are no envelopes pass as they
 * are, but encrypted ones are `unsupported`: redaction goes outside of encryption. What `append` and `put` return is what
 * they were given; reading gives what is stored, and so does what an index of the records holds.
 */
export function redacted(store: RowStore, options: RedactedStoreOptions = {}): RowStore {
  checkStore(store, 'redacted: store')
  const redactor = options.redactor ?? createRedactor(options)
  const waiting = new Set<Promise<unknown>>()
  let closing: Promise<void> | undefined

  async function redact(row: RowWrite): Promise<RowWrite> {
    if (row.rec[0] === SEALED_MARK) throw insideEncryption()
    if (peekEnvelope(row.rec) === undefined) return row
    const envelope = decodeEnvelope(row.rec)
    const value = await redactor.value(envelope.value, row.entity)
    return value === envelope.value ? row : { ...row, rec: encodeEnvelope({ ...envelope, value }) }
  }

  async function write(rows: readonly RowWrite[], call: CallOptions | undefined): Promise<WriteResult[]> {
    const safe: RowWrite[] = []
    for (const row of rows) safe.push(await redact(row))
    const results = await store.write(safe, call)
    return results.map((result, i) =>
      result.status === 'applied' && safe[i] !== rows[i] ? { rec: safe[i]!.rec, ...result } : result,
    )
  }

  const close = (): Promise<void> => (closing ??= Promise.allSettled(waiting).then(() => store.close()))

  return {
    name: store.name,
    limits: store.limits,
    load: (ids, call) => store.load(ids, call),
    scan: (entity, range, call) => store.scan(entity, range, call),
    entities: (range, call) => store.entities(range, call),
    async write(rows, call) {
      if (closing !== undefined) throw new KeepsakeError('unavailable', 'This store was closed; open a new one.')
      throwIfAborted(call?.signal)
      checkRowWrites(rows, store.limits)
      // Copied before the first wait: the caller may change its rows then.
      const writing = write(
        rows.map((row) => ({ ...row, rec: row.rec.slice() })),
        call,
      )
      waiting.add(writing)
      return writing.finally(() => waiting.delete(writing))
    },
    remove: (ids, call) => store.remove(ids, call),
    removeEntity: (entity, call) => store.removeEntity(entity, call),
    provision: (call) => store.provision(call),
    verify: (call) => store.verify(call),
    close,
    [Symbol.asyncDispose]: close,
  }
}

function insideEncryption(): KeepsakeError {
  return new KeepsakeError(
    'unsupported',
    'The records are encrypted before they reach redaction, which would find nothing in them. Put it outside: redacted(encrypted(store, { keys })).',
  )
}

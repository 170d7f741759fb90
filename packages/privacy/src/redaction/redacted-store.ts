import {
  checkStore,
  decodeEnvelope,
  encodeEnvelope,
  KeepsakeError,
  peekEnvelope,
  type RowStore,
  type RowWrite,
} from '@keepsake/core'
import { SEALED_MARK } from '../encryption/sealed-mark.ts'
import { rewritingStore } from '../rewriting-store.ts'
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

  async function redact(row: RowWrite): Promise<RowWrite> {
    if (row.rec[0] === SEALED_MARK) throw insideEncryption()
    if (peekEnvelope(row.rec) === undefined) return row
    const envelope = decodeEnvelope(row.rec)
    const value = await redactor.value(envelope.value, row.entity)
    return value === envelope.value ? row : { ...row, rec: encodeEnvelope({ ...envelope, value }) }
  }

  return rewritingStore(store, {
    async write(rows, call) {
      const safe: RowWrite[] = []
      for (const row of rows) safe.push(await redact(row))
      const results = await store.write(safe, call)
      return results.map((result, i) =>
        result.status === 'applied' && safe[i] !== rows[i] ? { rec: safe[i]!.rec, ...result } : result,
      )
    },
  })
}

function insideEncryption(): KeepsakeError {
  return new KeepsakeError(
    'unsupported',
    'The records are encrypted before they reach redaction, which would find nothing in them. Put it outside: redacted(encrypted(store, { keys })).',
  )
}

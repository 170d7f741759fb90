import type { JSONValue } from '@ai-sdk/provider'
import { systemClock, type Clock } from '../clock.ts'
import type { Owner } from '../owner.ts'
import { ownerEntity } from '../owner.ts'
import { encodeTuple, type Key } from '../rows/keys.ts'
import type { CallOptions, RowStore } from '../rows/row-store.ts'
import { isQuarantined, trusted } from '../sources.ts'
import { decodeEnvelope } from '../values/envelope.ts'
import type { Entry } from './record-rows.ts'
import { records } from './records.ts'

/** A record in quarantine, with what it was derived from. */
export interface QuarantinedEntry extends Entry<JSONValue> {
  sources: string[]
}

/** The records of an owner that wait for somebody's approval. Reads all records of the owner. */
export async function* quarantinedRecords(
  store: RowStore,
  owner: Owner,
  { clock, signal }: CallOptions & { clock?: Clock } = {},
): AsyncGenerator<QuarantinedEntry> {
  for await (const entry of records(store, owner, clock && { clock }).list([], { signal })) {
    if (entry.quarantined !== true) continue
    const [row] = await store.load([{ entity: ownerEntity(owner), key: encodeTuple(['r', ...entry.key]) }], { signal })
    if (row === undefined || row.seq !== entry.version) continue
    yield { ...entry, sources: [...(decodeEnvelope(row.rec).sources ?? [])] }
  }
}

/**
 * Lets a record out of quarantine: it keeps its value and names the same sources. `version` is the one that was looked at.
 * Returns whether it did; not, if the record changed since or is in no quarantine.
 */
export async function approveRecord(
  store: RowStore,
  owner: Owner,
  key: Key,
  version: number,
  { clock = systemClock(), signal }: CallOptions & { clock?: Clock } = {},
): Promise<boolean> {
  const [row] = await store.load([{ entity: ownerEntity(owner), key: encodeTuple(['r', ...key]) }], { signal })
  if (row === undefined || row.seq !== version || row.rec.length === 0) return false
  const { sources } = decodeEnvelope(row.rec)
  if (!isQuarantined(sources)) return false
  const options = { ifVersion: version, sources: trusted(sources!), signal }
  const written = await records(store, owner, { clock }).update(key, (value) => value, options)
  return written !== undefined
}

import type { StandardSchemaV1 } from '@standard-schema/spec'
import { backoff } from '../backoff.ts'
import type { Clock } from '../clock.ts'
import type { Envelope } from '../values/envelope.ts'
import { KeepsakeError } from '../errors.ts'
import { copyList, describeType, type Key } from '../rows/keys.ts'
import { writeRegistered } from '../lineage.ts'
import { takeOptions, type TakenOptions } from './put-options.ts'
import { entryOf, type Draft, type Entry, type RecordRows } from './record-rows.ts'
import type { PutOptions, Records } from './records.ts'
import {
  MAX_SEQ,
  type CallOptions,
  type Row,
  type RowStore,
  type RowWrite,
  type WriteResult,
} from '../rows/row-store.ts'
import { storableOf } from '../values/standard-schema.ts'

type Writer<V> = Pick<Records<V>, 'put' | 'putMany' | 'update' | 'delete' | 'deleteAll'>

const SCAN_ROWS = 500

interface WriterOptions<V> {
  store: RowStore
  rows: RecordRows
  clock: Clock
  owner: Key
  /** Whose data all of it is, where that is not the owner. */
  subject: Key | undefined
  schema: StandardSchemaV1<unknown, V> | undefined
  /** Refuses a write before any row of it is written. */
  ready: (options: CallOptions) => Promise<void>
  /** Writes rows of records: the store's `write`, and what follows it. */
  writeRows: RowStore['write']
}

interface TakenPut extends TakenOptions {
  item: Draft
}

/** The writing half of {@link Records}. What a call is given is read before its first wait. */
export function recordWriter<V>(parts: WriterOptions<V>): Writer<V> {
  const { store, rows, clock, owner, subject, schema, ready, writeRows } = parts
  /** A value that may be written, with all that is written with it. */
  async function draft(
    key: string,
    input: unknown,
    { opId, ttlMs, fields }: TakenOptions,
    what = 'value',
  ): Promise<Draft> {
    const storable = storableOf(schema, input, what)
    const value = storable instanceof Promise ? await storable : storable
    return {
      key,
      value,
      writeId: opId ?? clock.newId(),
      owner,
      ...(subject !== undefined && { subject }),
      ...(ttlMs !== undefined && { expiresAtMs: clock.nowMs() + ttlMs }),
      ...fields,
    }
  }

  async function write(
    items: readonly Pick<Draft, 'subject' | 'sources'>[],
    writes: readonly RowWrite[],
    options: CallOptions,
  ): Promise<WriteResult[]> {
    await ready(options)
    const subjects = items.flatMap((item) => (item.subject === undefined ? [] : [item.subject]))
    const derived = items.some(({ sources = [] }) => sources.length > 0)
    // The owner's directory too, whosever the data are: who erases the owner erases all of the entity.
    const registration = { entity: rows.entity, subjects: [owner, ...subjects], derived }
    return writeRegistered(store, registration, writes, clock, options, (all) => writeRows(all, options))
  }

  async function load(key: string, options: CallOptions): Promise<Row | undefined> {
    const [row] = await store.load([{ entity: rows.entity, key }], options)
    return row
  }

  /** Finishes a put that was meant to win and met a row from a clock that is ahead: over whatever is there. */
  async function overtake(item: Draft, storedSeq: number, options: CallOptions): Promise<Entry<V>> {
    for (let stored = storedSeq, attempt = 0; ;) {
      // -1: the row was removed meanwhile.
      const guard = stored < 0 ? 'monotonic' : { seq: stored }
      const row = rows.toWrite(item, clock.nextSeq(stored), guard, clock.nowMs())
      const [result] = await write([item], [row], options)
      if (result!.status === 'applied') return entryOf(rows, row)
      stored = result!.seq
      await backoff(++attempt, 'Putting a record', options.signal)
    }
  }

  async function putBlind(items: readonly Draft[], options: CallOptions): Promise<Entry<V>[]> {
    const nowMs = clock.nowMs()
    // A record that is too large is refused here, before the first write.
    const writes = items.map((item) => rows.toWrite(item, clock.nextSeq(), 'monotonic', nowMs))
    const results = await write(items, writes, options)
    const entries: Entry<V>[] = []
    for (const [index, result] of results.entries()) {
      entries.push(
        result.status === 'applied'
          ? entryOf<V>(rows, writes[index]!)
          : await overtake(items[index]!, result.seq, options),
      )
    }
    return entries
  }

  /**
   * Writes over exactly one state of the entry: `change` makes the write from it, or returns why not to. A write that
   * `isNamed` may have been made by an earlier attempt.
   */
  async function putOver(
    item: Pick<Draft, 'key' | 'writeId'>,
    isNamed: boolean,
    options: CallOptions,
    change: (current: { row: Row; envelope: Envelope } | undefined) => Promise<Draft | { leave: Entry<V> | undefined }>,
  ): Promise<Entry<V> | undefined> {
    let last: RowWrite | undefined
    for (let attempt = 0; ;) {
      const row = await load(item.key, options)
      const nowMs = clock.nowMs()
      const current = rows.read(row, nowMs)
      // Stale says only that ours is not the current row: it may stand under later ones.
      if ((isNamed || last !== undefined) && current?.envelope.writeIds?.includes(item.writeId)) {
        return entryOf(rows, last ?? current.row)
      }
      const next = await change(current)
      if ('leave' in next) return next.leave
      const seq = clock.nextSeq(row?.seq)
      last = rows.toWrite(next, seq, row === undefined ? 'absent' : { seq: row.seq }, nowMs, current?.envelope)
      const [result] = await write([next], [last], options)
      if (result!.status === 'applied') return entryOf(rows, last)
      await backoff(++attempt, 'Writing a record', options.signal)
    }
  }

  async function putOne({ item, ifVersion, opId, call }: TakenPut): Promise<Entry<V> | undefined> {
    if (ifVersion === undefined && opId === undefined) return (await putBlind([item], call))[0]
    return putOver(item, opId !== undefined, call, async (current) =>
      ifVersion === undefined || (current?.row.seq ?? null) === ifVersion ? item : { leave: undefined },
    )
  }

  /** One put, checked; it rejects with what is wrong about it. */
  async function takePut(given: unknown, where = ''): Promise<TakenPut> {
    const { key, value, options } = given as { key: Key; value: V; options?: PutOptions }
    const rowKey = rows.keyOf(key, `${where}key`)
    const taken = takeOptions(options ?? {})
    const item = await draft(rowKey, value, taken, `${where}value`)
    return { ...taken, item }
  }

  const writer: Writer<V> = {
    async put(key, value, options = {}) {
      return putOne(await takePut({ key, value, options }))
    },

    async putMany(entries, { signal } = {}) {
      if (!Array.isArray(entries)) throw invalid(`entries must be a list; it is ${describeType(entries)}.`)
      const puts = await Promise.all(
        copyList(entries).map(async (entry, index) => {
          if (typeof entry === 'object' && entry !== null) return takePut(entry, `entries[${index}].`)
          throw invalid(`entries[${index}] must be { key, value, options? }; it is ${describeType(entry)}.`)
        }),
      )
      if (puts.length === 0) return []
      const items = puts.map(({ item }) => item)
      if (puts.every(({ ifVersion, opId }) => ifVersion === undefined && opId === undefined))
        return putBlind(items, { signal })
      for (const item of items) rows.toWrite(item, MAX_SEQ, 'monotonic', clock.nowMs())
      const results: (Entry<V> | undefined)[] = []
      for (const put of puts) results.push(await putOne({ ...put, call: { signal } }))
      return results
    },

    async update(given, change, options = {}) {
      const key = rows.keyOf(given)
      const taken = takeOptions(options)
      if (typeof change !== 'function') throw invalid(`change must be a function; it is ${describeType(change)}.`)
      const writeId = taken.opId ?? clock.newId()
      return putOver({ key, writeId }, taken.opId !== undefined, taken.call, async (current) => {
        if (taken.ifVersion !== undefined && (current?.row.seq ?? null) !== taken.ifVersion) return { leave: undefined }
        const value = change(current?.envelope.value as V | undefined)
        // `change` may have changed the object that it was given: what is stored is read again.
        if (value === undefined) return { leave: current && entryOf(rows, current.row) }
        const { expiresAtMs, subject: about, sources, indexed } = current?.envelope ?? {}
        // What the call does not say stays as it was.
        return {
          ...(expiresAtMs !== undefined && { expiresAtMs }),
          ...(sources !== undefined && { sources }),
          ...(indexed !== undefined && { indexed }),
          ...(await draft(key, value, taken)),
          ...(about !== undefined && taken.fields.subject === undefined && { subject: about }),
          writeId,
        }
      })
    },

    async delete(key, options = {}) {
      const rowKey = rows.keyOf(key)
      const { ifVersion, call } = takeOptions(options)
      let tombstoneSeq: number | undefined
      for (let attempt = 0; ;) {
        const row = await load(rowKey, call)
        const nowMs = clock.nowMs()
        if (row === undefined) return false
        if (!rows.visible(row, nowMs)) return row.seq === tombstoneSeq
        if (ifVersion !== undefined && row.seq !== ifVersion) return false
        tombstoneSeq = clock.nextSeq(row.seq)
        const [result] = await writeRows([rows.toTombstone(row, tombstoneSeq, nowMs)], call)
        if (result!.status === 'applied') return true
        await backoff(++attempt, 'Deleting a record', call.signal)
      }
    },

    async deleteAll(prefix, { signal } = {}) {
      const below = rows.prefixOf(prefix)
      let deleted = 0
      for (let after: string | undefined, attempt = 0; ;) {
        const page = await store.scan(
          rows.entity,
          { prefix: below, limit: SCAN_ROWS, ...(after !== undefined && { after }) },
          { signal },
        )
        const nowMs = clock.nowMs()
        const there = page.filter((row) => rows.visible(row, nowMs))
        const results = await writeRows(
          there.map((row) => rows.toTombstone(row, clock.nextSeq(row.seq), nowMs)),
          { signal },
        )
        const stale = results.filter(({ status }) => status === 'stale').length
        deleted += results.length - stale
        // Rows that changed meanwhile are read again with the same page.
        if (stale > 0) await backoff(++attempt, 'Deleting a namespace', signal)
        else if (page.length < SCAN_ROWS) return deleted
        else after = page.at(-1)!.key
      }
    },
  }
  return writer
}

function invalid(message: string): KeepsakeError {
  return new KeepsakeError('invalid_value', message)
}

import type { StandardSchemaV1 } from '@standard-schema/spec'
import { backoff } from '../backoff.ts'
import type { Clock } from '../clock.ts'
import type { Envelope } from '../values/envelope.ts'
import { KeepsakeError } from '../errors.ts'
import { describeType, type Key } from '../rows/keys.ts'
import { registerSubject } from '../lineage.ts'
import { checkedSubject, ownerKey, type Owner } from '../owner.ts'
import { entryOf, type Draft, type Entry, type RecordRows } from './record-rows.ts'
import type { PutOptions, Records } from './records.ts'
import { MAX_SEQ, type CallOptions, type Row, type RowStore, type RowWrite } from '../rows/row-store.ts'
import { storableOf } from '../values/standard-schema.ts'
import { checkTtl } from '../ttl.ts'

type Writer<V> = Pick<Records<V>, 'put' | 'putMany' | 'update' | 'delete' | 'deleteAll'>

const SCAN_ROWS = 500

interface WriterOptions<V> {
  store: RowStore
  rows: RecordRows
  clock: Clock
  owner: Owner
  schema: StandardSchemaV1<unknown, V> | undefined
}

/** The writing half of {@link Records}. */
export function recordWriter<V>({ store, rows, clock, owner, schema }: WriterOptions<V>): Writer<V> {
  const ownerTuple = ownerKey(owner)

  /** Checks everything about a write that can be checked without reading. */
  async function draft(key: Key, input: unknown, options: PutOptions, what = 'value'): Promise<Draft> {
    checkOptions(options)
    const { ttlMs, subject, sources } = options
    // Copied before the first wait: what the caller changes later is not what is written.
    const own = [...key]
    const storable = storableOf(schema, input, what)
    const value = storable instanceof Promise ? await storable : storable
    return {
      key: own,
      value,
      writeId: clock.newId(),
      owner: ownerTuple,
      ...(ttlMs !== undefined && { expiresAtMs: clock.nowMs() + ttlMs }),
      ...(subject !== undefined && { subject: checkedSubject(subject) }),
      ...(sources !== undefined && { sources: [...sources] }),
    }
  }

  const register = ({ subject }: Pick<Draft, 'subject'>, options: CallOptions): Promise<void> =>
    registerSubject(store, subject ?? ownerTuple, [rows.entity], clock, options)

  async function load(key: string, options: CallOptions): Promise<Row | undefined> {
    const [row] = await store.load([{ entity: rows.entity, key }], options)
    return row
  }

  async function writeOne(write: RowWrite, options: CallOptions) {
    const [result] = await store.write([write], options)
    return result!
  }

  /** Finishes a put that was meant to win and met a row from a clock that is ahead: over whatever is there. */
  async function overtake(item: Draft, storedSeq: number, options: CallOptions): Promise<Entry<V>> {
    for (let stored = storedSeq, attempt = 0; ;) {
      // -1: the row was removed meanwhile.
      const guard = stored < 0 ? 'monotonic' : { seq: stored }
      const write = rows.toWrite(item, clock.nextSeq(stored), guard, clock.nowMs())
      const result = await writeOne(write, options)
      if (result.status === 'applied') return entryOf(rows, write)
      stored = result.seq
      await backoff(++attempt, 'Putting a record', options.signal)
    }
  }

  async function putBlind(items: readonly Draft[], options: CallOptions): Promise<Entry<V>[]> {
    const nowMs = clock.nowMs()
    // A record that is too large is refused here, before the first write.
    const writes = items.map((item) => rows.toWrite(item, clock.nextSeq(), 'monotonic', nowMs))
    for (const item of items) await register(item, options)
    const results = await store.write(writes, options)
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

  /** Writes over exactly one state of the entry: `change` makes the write from it, or returns why not to. */
  async function putOver(
    item: Pick<Draft, 'key' | 'writeId'>,
    options: CallOptions,
    change: (current: { row: Row; envelope: Envelope } | undefined) => Promise<Draft | { leave: Entry<V> | undefined }>,
  ): Promise<Entry<V> | undefined> {
    const rowKey = rows.keyOf(item.key)
    let last: RowWrite | undefined
    for (let attempt = 0; ;) {
      const row = await load(rowKey, options)
      const nowMs = clock.nowMs()
      const current = rows.read(row, nowMs)
      // Stale says only that ours is not the current row: it may stand under later ones.
      if (last !== undefined && current?.envelope.writeIds?.includes(item.writeId)) return entryOf(rows, last)
      const next = await change(current)
      if ('leave' in next) return next.leave
      const seq = clock.nextSeq(row?.seq)
      last = rows.toWrite(next, seq, row === undefined ? 'absent' : { seq: row.seq }, nowMs, current?.envelope)
      await register(next, options)
      if ((await writeOne(last, options)).status === 'applied') return entryOf(rows, last)
      await backoff(++attempt, 'Writing a record', options.signal)
    }
  }

  function putIf(item: Draft, ifVersion: number | null, options: CallOptions): Promise<Entry<V> | undefined> {
    return putOver(item, options, async (current) =>
      (current?.row.seq ?? null) === ifVersion ? item : { leave: undefined },
    )
  }

  const writer: Writer<V> = {
    async put(key, value, options = {}) {
      rows.keyOf(key)
      const item = await draft(key, value, options)
      if (options.ifVersion !== undefined) return putIf(item, options.ifVersion, options)
      return (await putBlind([item], options))[0]
    },

    async putMany(entries, options = {}) {
      if (!Array.isArray(entries)) throw invalid(`entries must be a list; it is ${describeType(entries)}.`)
      const items: Draft[] = []
      for (const [index, entry] of entries.entries()) {
        const where = `entries[${index}]`
        if (typeof entry !== 'object' || entry === null) {
          throw invalid(`${where} must be { key, value, options? }; it is ${describeType(entry)}.`)
        }
        rows.keyOf(entry.key, `${where}.key`)
        items.push(await draft(entry.key, entry.value, entry.options ?? {}, `${where}.value`))
      }
      if (entries.every((entry) => entry.options?.ifVersion === undefined)) {
        return items.length === 0 ? [] : putBlind(items, options)
      }
      for (const item of items) rows.toWrite(item, MAX_SEQ, 'monotonic', clock.nowMs())
      const results: (Entry<V> | undefined)[] = []
      for (const [index, item] of items.entries()) {
        const ifVersion = entries[index]!.options?.ifVersion
        results.push(
          ifVersion === undefined ? (await putBlind([item], options))[0] : await putIf(item, ifVersion, options),
        )
      }
      return results
    },

    async update(given, change, options = {}) {
      rows.keyOf(given)
      checkOptions(options)
      if (typeof change !== 'function') throw invalid(`change must be a function; it is ${describeType(change)}.`)
      const key = [...given]
      const writeId = clock.newId()
      return putOver({ key, writeId }, options, async (current) => {
        if (options.ifVersion !== undefined && (current?.row.seq ?? null) !== options.ifVersion)
          return { leave: undefined }
        const value = change(current?.envelope.value as V | undefined)
        // `change` may have changed the object that it was given: what is stored is read again.
        if (value === undefined) return { leave: current && entryOf(rows, current.row) }
        const { expiresAtMs, subject, sources } = current?.envelope ?? {}
        // What the call does not say stays as it was.
        return {
          ...(expiresAtMs !== undefined && { expiresAtMs }),
          ...(subject !== undefined && { subject }),
          ...(sources !== undefined && { sources }),
          ...(await draft(key, value, options)),
          writeId,
        }
      })
    },

    async delete(key, options = {}) {
      const rowKey = rows.keyOf(key)
      checkOptions(options)
      let tombstoneSeq: number | undefined
      for (let attempt = 0; ;) {
        const row = await load(rowKey, options)
        const nowMs = clock.nowMs()
        if (row === undefined) return false
        if (!rows.visible(row, nowMs)) return row.seq === tombstoneSeq
        if (options.ifVersion !== undefined && row.seq !== options.ifVersion) return false
        tombstoneSeq = clock.nextSeq(row.seq)
        const result = await writeOne(rows.toTombstone(row, tombstoneSeq, nowMs), options)
        if (result.status === 'applied') return true
        await backoff(++attempt, 'Deleting a record', options.signal)
      }
    },

    async deleteAll(prefix, options = {}) {
      const below = rows.prefixOf(prefix)
      let deleted = 0
      for (let after: string | undefined, attempt = 0; ;) {
        const page = await store.scan(
          rows.entity,
          { prefix: below, limit: SCAN_ROWS, ...(after !== undefined && { after }) },
          options,
        )
        const nowMs = clock.nowMs()
        const there = page.filter((row) => rows.visible(row, nowMs))
        const results = await store.write(
          there.map((row) => rows.toTombstone(row, clock.nextSeq(row.seq), nowMs)),
          options,
        )
        const stale = results.filter(({ status }) => status === 'stale').length
        deleted += results.length - stale
        // Rows that changed meanwhile are read again with the same page.
        if (stale > 0) await backoff(++attempt, 'Deleting a namespace', options.signal)
        else if (page.length < SCAN_ROWS) return deleted
        else after = page.at(-1)!.key
      }
    },
  }
  return writer
}

function checkOptions(options: PutOptions): void {
  const { ttlMs, ifVersion, sources } = options
  checkTtl(ttlMs)
  // The version of an entry that is not there is undefined: it must not turn a guarded write into a blind one.
  if ('ifVersion' in options && ifVersion === undefined) {
    throw invalid(
      'ifVersion is undefined. Pass the version that was read, null for "only if there is none", or leave it out.',
    )
  }
  if (ifVersion !== undefined && ifVersion !== null && !Number.isSafeInteger(ifVersion)) {
    const shown = typeof ifVersion === 'number' ? String(ifVersion) : describeType(ifVersion)
    throw invalid(`ifVersion must be a version that was read, or null for "only if there is none"; it is ${shown}.`)
  }
  if (sources !== undefined && !(Array.isArray(sources) && sources.every((source) => typeof source === 'string'))) {
    throw invalid(`sources must be a list of texts; it is ${describeType(sources)}.`)
  }
}

function invalid(message: string): KeepsakeError {
  return new KeepsakeError('invalid_value', message)
}

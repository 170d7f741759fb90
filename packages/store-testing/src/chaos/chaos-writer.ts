// node chaos-writer.ts DRIVER URI ENTITY LOG WRITER WRITERS CALLS ROWS: makes CALLS calls on the same ROWS rows as other
// writers, and notes in LOG what it is about to do and what became of it. Started again after it was killed, it goes on.
import { existsSync, openSync, writeSync } from 'node:fs'
import { KeepsakeError, type RowStore, type RowWrite, type StoreDriver } from '@keepsake/core'
import { readLog, type LogEvent, type LoggedWrite } from './log.ts'
import { REPORT_EVERY } from './report-every.ts'

const [module, uri, entity, log, ...numbers] = process.argv.slice(2) as [string, string, string, string, ...string[]]
const [writer, writers, calls, rows] = numbers.map(Number) as [number, number, number, number]

/** Above every part of a seq that says whose it is. */
const EPOCH = 2 ** 20
const first = existsSync(log) ? readLog(log).filter(({ type }) => type === 'begin').length : 0
const file = openSync(log, 'a')
// One write call for a line, which a kill cannot cut in two.
const note = (event: LogEvent): void => void writeSync(file, `${JSON.stringify(event)}\n`)
const now = (): string => process.hrtime.bigint().toString()

const { driver } = (await import(module)) as { driver: StoreDriver }
await using store = await driver.open(uri)

for (let call = first; call < calls; call++) {
  await makeCall(store, call)
  if (call % REPORT_EVERY === 0) writeSync(1, `${call}\n`)
}

async function makeCall(on: RowStore, call: number): Promise<void> {
  const random = randomFrom(call * writers + writer + 1)
  // One row in most calls, up to four in others, at times the same row twice.
  const keys = Array.from({ length: random() < 0.8 ? 1 : 1 + Math.floor(random() * 4) }, () =>
    String(Math.floor(random() * rows)).padStart(3, '0'),
  )
  const began = now()
  const stored = await untilAvailable(() => on.load(keys.map((key) => ({ entity, key }))))
  const ended = now()
  for (const [i, key] of keys.entries()) {
    const row = stored[i]
    note({ type: 'read', began, ended, key, seq: row?.seq ?? -1, id: row ? new TextDecoder().decode(row.rec) : '' })
  }
  const writes = keys.map((key, i): LoggedWrite => {
    const known = stored[i]?.seq ?? -1
    const epoch = Math.floor(Math.max(known, 0) / EPOCH)
    // Its own in all calls of all writers: a seq that was tried is never tried again.
    const own = (call * 4 + i) * writers + writer
    const seq = (raised: number): number => (epoch + raised) * EPOCH + own
    const id = `${writer}/${call}/${i}`
    const kind = random()
    if (known === -1 && kind < 0.5) return { key, id, guard: 'absent', seq: seq(1) }
    if (known === -1 || kind < 0.3) return { key, id, guard: 'newer', seq: seq(1) }
    // Newer or not, as it happens; and a late duplicate of something old.
    if (kind < 0.4) return { key, id, guard: 'newer', seq: seq(0) }
    if (kind < 0.5) return { key, id, guard: 'absent', seq: seq(1) }
    return { key, id, guard: known, seq: seq(1) }
  })
  note({ type: 'begin', at: now(), call: `${writer}/${call}`, writes })
  const results = await on.write(writes.map(toRow)).catch(unlessUnavailable)
  // Nobody knows what became of it. It stays without an end, and is not tried again.
  if (results === undefined) return
  const verdicts = results.map((result) => (result.status === 'applied' ? true : result.seq))
  note({ type: 'end', at: now(), call: `${writer}/${call}`, verdicts })
}

/** A store that waited for its server as long as it may says that another try is worth it. */
async function untilAvailable<T>(read: () => Promise<T>): Promise<T> {
  for (;;) {
    const found = await read().catch(unlessUnavailable)
    if (found !== undefined) return found
  }
}

function unlessUnavailable(error: unknown): undefined {
  if (!KeepsakeError.isInstance(error, 'unavailable') || !error.retryable) throw error
}

function toRow({ key, seq, id, guard }: LoggedWrite): RowWrite {
  return {
    entity,
    key,
    seq,
    rec: new TextEncoder().encode(id),
    updatedAtMs: 0,
    guard: guard === 'newer' ? 'monotonic' : guard === 'absent' ? guard : { seq: guard },
  }
}

/** Mulberry32: numbers from 0 to 1, the same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

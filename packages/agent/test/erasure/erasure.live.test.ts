import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import {
  chatMemory,
  encodeEnvelope,
  encodeTuple,
  eraseSubject,
  inMemoryStore,
  ownerEntity,
  records,
  registerSubject,
  sourceText,
  systemClock,
  threadEntity,
  walkEntities,
  walkRows,
  type RowStore,
  type RowWrite,
} from '@keepsake/core'
import { describe, expect, test } from 'vitest'
import { createEngine } from '../../src/engine/engine.ts'
import { openStore } from '@keepsake/test-stores/open-store'
import { openPlace, storesHere, type TestPlace } from '@keepsake/test-stores'

/** The full size takes minutes on each store. */
const FULL = process.env['KEEPSAKE_ERASURE_FULL'] === '1'
const THREADS = 100
const OTHERS = ['bob', 'carl', 'dora', 'emil', 'fay']
/** Records of others that were derived from the person's threads. */
const DERIVED = 200
const TIMEOUT_MS = FULL ? 3_600_000 : 120_000
const AUDIT = encodeTuple(['audit'])

const here = await storesHere(['sqlite', 'postgres', 'mysql', 'redis', 'redis-cluster', 'firestore', 'bigtable'])
type Name = 'memory' | (typeof here)[number]

/** Rows of the person, and of others. Google's emulators are slow. */
function sizesOf(name: Name): { theirs: number; others: number } {
  if (name === 'firestore' || name === 'bigtable') {
    return FULL ? { theirs: 10_000, others: 50_000 } : { theirs: 2_000, others: 2_000 }
  }
  return FULL ? { theirs: 100_000, others: 1_000_000 } : { theirs: 20_000, others: 20_000 }
}

interface Opened extends AsyncDisposable {
  store: RowStore
  place?: TestPlace['place']
}

async function open(name: Name): Promise<Opened> {
  if (name === 'memory') {
    const store = inMemoryStore()
    return { store, [Symbol.asyncDispose]: () => store.close() }
  }
  const shared = await openPlace(name)
  const store = await openStore(shared.place)
  return {
    store,
    place: shared.place,
    async [Symbol.asyncDispose]() {
      await store.close()
      await shared[Symbol.asyncDispose]()
    },
  }
}

/** Half of the rows are messages of threads, half records, as the models write them. */
async function fill(store: RowStore, owner: string, count: number): Promise<void> {
  const chat = chatMemory(store)
  const clock = systemClock()
  const threads = Array.from({ length: THREADS }, (_, i) => `${owner}-thread-${i}`)
  const lives = new Map<string, string>()
  for (const id of threads) {
    await chat.append(id, [{ role: 'user', content: `I am ${owner}` }], { owner })
    const [row] = await store.scan(threadEntity(id), {
      prefix: encodeTuple(['m']),
      after: encodeTuple(['m', '!']),
      limit: 1,
    })
    lives.set(id, row!.key.split('\u0001')[1]!)
  }
  await registerSubject(store, [owner], [ownerEntity(owner)], clock)
  const nowMs = clock.nowMs()
  const rowOf = (i: number): RowWrite => {
    const seq = clock.nextSeq()
    const text = `${owner} says ${i}`
    const id = threads[i % THREADS]!
    const isMessage = i % 2 === 0
    const value = isMessage ? [{ role: 'user', content: text, id: `${owner}-${i}`, createdAtMs: nowMs }] : { text }
    const rec = encodeEnvelope({ value, createdAtMs: nowMs, owner: [owner] })
    const place = isMessage
      ? { entity: threadEntity(id), key: encodeTuple(['m', lives.get(id)!, String(seq).padStart(17, '0'), String(i)]) }
      : { entity: ownerEntity(owner), key: encodeTuple(['r', 'memories', String(i)]) }
    return { ...place, seq, rec, updatedAtMs: nowMs, guard: 'absent' }
  }
  for (let from = 0; from < count; from += 1000) {
    await store.write(Array.from({ length: Math.min(1000, count - from) }, (_, i) => rowOf(from + i)))
  }
}

/** A digest of all rows that are not an audit's, and the rows in which one of the texts is found. */
async function look(store: RowStore, ...texts: string[]): Promise<{ digest: string; traces: string[] }> {
  const hash = createHash('sha256')
  const traces: string[] = []
  for await (const entity of walkEntities(store)) {
    if (entity === AUDIT) continue
    for await (const { key, seq, rec, updatedAtMs } of walkRows(store, entity)) {
      const bytes = Buffer.from(rec)
      const all = `${entity}${key}${bytes.toString('latin1')}`
      if (texts.some((text) => all.includes(text))) traces.push(entity + key)
      else hash.update(JSON.stringify([entity, key, seq, updatedAtMs])).update(bytes)
    }
  }
  return { digest: hash.digest('hex'), traces }
}

describe.each(['memory', ...here] as const)('%s', (name) => {
  const { theirs, others } = sizesOf(name)

  test(
    `${theirs} rows of a person among ${others} of others, killed in the middle, are all gone and counted`,
    { timeout: TIMEOUT_MS },
    async () => {
      await using opened = await open(name)
      const { store, place } = opened
      for (const owner of OTHERS) {
        await fill(store, owner, others / OTHERS.length)
        await records(store, owner).put(['own'], 'a guess', { sources: [sourceText({ thread: `${owner}-thread-0` })] })
      }
      const before = await look(store)
      await fill(store, 'zoe', theirs)
      await Promise.all(
        Array.from({ length: DERIVED }, (_, i) =>
          records(store, OTHERS[i % OTHERS.length]!).put(['guess', String(i)], `perhaps ${i}`, {
            sources: [sourceText({ thread: `zoe-thread-${i % THREADS}` })],
          }),
        ),
      )
      const expected = {
        derived: DERIVED,
        directory: THREADS + 1,
        heads: THREADS,
        messages: theirs / 2 + THREADS,
        records: theirs / 2,
        thread_list: THREADS,
      }
      const dry = await eraseSubject(store, 'zoe', { dryRun: true })
      expect(dry.counts).toEqual(expected)

      const killed = place !== undefined && (await eraseUntilKilled(place, theirs / 2))
      expect(killed).toBe(place !== undefined)
      const beganMs = performance.now()
      const { counts } = await eraseSubject(store, 'zoe', { graceMs: 0 })
      if (FULL) console.log(`${name}: ${JSON.stringify(counts)} in ${Math.round(performance.now() - beganMs)} ms`)
      if (killed) {
        // What was removed and not yet counted when the process died: one batch at most.
        expect(Object.keys(counts).toSorted()).toEqual(Object.keys(expected))
        const total = Object.values(counts).reduce((sum, n) => sum + n, 0)
        const all = Object.values(expected).reduce((sum, n) => sum + n, 0)
        expect(total).toBeLessThanOrEqual(all)
        expect(total).toBeGreaterThanOrEqual(all - 500)
      } else expect(counts).toEqual(expected)
      expect(await look(store, 'zoe')).toEqual({ digest: before.digest, traces: [] })
    },
  )

  test('with 8 writers of the person, and one of another, nothing comes back', { timeout: TIMEOUT_MS }, async () => {
    await using opened = await open(name)
    const { store } = opened
    const chat = chatMemory(store)
    const engine = createEngine<null, string>({
      store,
      longterm: store,
      leaseMs: 600,
      subject: () => 'zoe',
      async handler(a) {
        await a.memory.append(['log'], 'zoe was here')
        await a.step('wait', () => new Promise((resolve) => setTimeout(resolve, 5, 'zoe said')))
        await a.longterm.put(['facts', a.event.id], 'zoe is nice')
        return 'to zoe'
      },
    })
    let n = 0
    const kinds: ((i: number) => Promise<unknown>)[] = [
      (i) => chat.append(`z${i % 5}`, [{ role: 'user', content: 'I am zoe' }], { owner: 'zoe', opId: `op-${i}` }),
      (i) => chat.append(`fresh-${i}`, [{ role: 'user', content: 'zoe again' }], { owner: 'zoe' }),
      (i) =>
        chat.append('shared', [{ role: 'user', content: `zoe in between ${i}` }], { owner: 'bob', subject: 'zoe' }),
      (i) => records(store, 'zoe').put(['k', String(i)], 'zoe likes it'),
      (i) => records(store, 'zoe').update(['count'], () => `zoe ${i}`),
      (i) => records(store, ['team']).put(['about', String(i)], 'zoe is in it', { subject: 'zoe' }),
      (i) => engine.activate({ entity: `run-${i % 3}`, event: { id: `e${i}`, data: null } }),
      (i) => engine.submit({ entity: `run-${i % 3}`, event: { id: `s${i}`, data: null } }),
    ]
    const erased = { done: false }
    const outcomes = { written: kinds.map(() => 0), refused: 0 }
    const writers = kinds.map(async (write, kind) => {
      while (!erased.done) {
        // A store in memory never waits: others get their turn here.
        await new Promise((resolve) => setImmediate(resolve))
        try {
          await write(n++)
          outcomes.written[kind]!++
        } catch (error) {
          if ((error as { code?: string }).code !== 'conflict') throw error
          outcomes.refused++
          // As an application that was told to stop, and will try again with the next thing.
          await new Promise((resolve) => setTimeout(resolve, 5))
        }
      }
    })
    const kept: number[] = []
    const other = (async () => {
      for (let i = 0; !erased.done; i++) {
        await records(store, 'bob').put(['k', String(i)], 'of bob')
        kept.push(i)
        await new Promise((resolve) => setImmediate(resolve))
      }
    })()
    // Every kind has written something that is to go.
    await expect.poll(() => Math.min(...outcomes.written), { timeout: 30_000 }).toBeGreaterThan(2)
    // Writers stop when the last pass begins: what they write after the end of an erasure is new data.
    let waits = 0
    const { counts } = await eraseSubject(store, 'zoe', {
      // Longer than a call takes on a machine that has much else to do.
      graceMs: 6000,
      onProgress: ({ step }) => {
        if (step === 'wait' && ++waits === 1) setTimeout(() => (erased.done = true), 700)
      },
    })
    await Promise.all([...writers, other])
    await engine.close()
    expect(outcomes.refused).toBeGreaterThan(20)
    expect(counts['messages']).toBeGreaterThan(0)
    expect((await look(store, 'zoe')).traces).toEqual([])
    // Of the engine's entities only the directories of owners who are called like them are left.
    expect((await look(store, 'run-')).traces.filter((place) => !place.startsWith('subject'))).toEqual([])
    const left = new Set<string>()
    for await (const { key } of records(store, 'bob').list(['k'])) left.add(key[1]!)
    expect(left).toEqual(new Set(kept.map(String)))
  })
})

/** Runs an erasure in a process of its own, which is killed half way. */
async function eraseUntilKilled(place: TestPlace['place'], rows: number): Promise<boolean> {
  const file = fileURLToPath(new URL('programs/erase.ts', import.meta.url))
  const args = [file, JSON.stringify(place), 'zoe', String(rows)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  const signal = await new Promise((resolve) => child.once('close', (_, killedBy) => resolve(killedBy)))
  return signal === 'SIGKILL'
}

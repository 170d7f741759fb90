import { join } from 'node:path'
import { encodeTuple, walkEntities, walkRows, type Row, type RowStore } from '@keepsake/core'
import { describe, expect, test } from 'vitest'
import { begin, lookBack, runKills, submitNext, testEngine, type Afterwards, type Submitted } from './kills.ts'
import { openStore } from '@keepsake/test-stores/open-store'
import { startProgram } from './start-program.ts'
import { openPlace, storesHere } from '@keepsake/test-stores'

const TIMEOUT_MS = 600_000
const KILLS = 200
const EVENTS_PER_KILL = 4

/** Every event once, in the order of its entity, and nothing of it lost or made twice. */
function expectAllOnce(submitted: readonly Submitted[], after: Afterwards): void {
  const { acknowledged, memories, longterm } = after
  for (const [entity, { log, count }] of memories) {
    const mine = submitted.filter((event) => event.entity === entity)
    expect(log.map(({ id }) => id)).toEqual(mine.map(({ id }) => id))
    expect(count).toBe(mine.length)
    for (const { id, answers } of log) {
      expect(acknowledged.get(id)).toEqual({ answers })
      expect(longterm.get(id)).toEqual({ answers })
    }
  }
  expect([...memories.values()].reduce((sum, { log }) => sum + log.length, 0)).toBe(submitted.length)
}

/** What was answered with, by call: the answer that counts and those that were made. */
function callsOf({ acknowledged, calls }: Afterwards): { used: string; made: string[] }[] {
  return [...acknowledged].flatMap(([eventId, { answers }]) =>
    answers.map((used, index) => ({
      used,
      made: calls.filter((call) => call.eventId === eventId && call.place === index + 1).map(({ answer }) => answer),
    })),
  )
}

describe.each(await storesHere(['sqlite', 'postgres', 'redis']))('%s', (name) => {
  test(`killed ${KILLS} times while events arrive: each is committed once`, { timeout: TIMEOUT_MS }, async () => {
    await using shared = await openPlace(name)
    const { submitted, ...after } = await runKills({
      place: shared.place,
      file: join(shared.folder, 'calls.jsonl'),
      kills: KILLS,
      eventsPerKill: EVENTS_PER_KILL,
      entities: Array.from({ length: 40 }, (_, index) => `entity ${index}`),
    })
    expect(submitted).toHaveLength(EVENTS_PER_KILL * KILLS)
    expectAllOnce(submitted, after)
    // Processes worked one after the other: a call that was made again was in flight when its process was killed, so the
    // last one made is the one that was journaled.
    const calls = callsOf(after)
    expect(calls.filter(({ used, made }) => made.at(-1) !== used)).toEqual([])
    const again = calls.reduce((sum, { made }) => sum + made.length - 1, 0)
    // Kills met calls in flight, of four entities at a time at most.
    expect(again).toBeGreaterThan(KILLS / 20)
    expect(again).toBeLessThan(4 * KILLS)
  })

  test.each([
    { before: 'c', moment: 'deciding' },
    { before: 'r', moment: 'flushing' },
  ])('a worker that is stopped while $moment and wakes when all is over changes nothing', async ({ before }) => {
    await using shared = await openPlace(name)
    const file = join(shared.folder, 'calls.jsonl')
    await using store = await openStore(shared.place)
    await using engine = testEngine(store, file)
    await using zombie = startProgram('zombie', JSON.stringify(shared.place), file, before, 'ada', 'event 0')
    expect(await zombie.line()).toBe('stopped')

    const submitted = [{ entity: 'ada', id: 'event 0', n: 0 }]
    for (let n = 1; n <= 2; n++) submitted.push({ entity: 'ada', id: `event ${n}`, n })
    const after = await lookBack(store, engine, file, submitted)
    expectAllOnce(submitted, after)
    // Waits for the clean-up too.
    await engine.close()
    const rows = await allRows(store)

    zombie.signal('SIGCONT')
    expect(JSON.parse(await zombie.line())).toMatchObject({
      status: 'completed',
      output: after.acknowledged.get('event 0'),
    })
    await zombie.ended()
    expect(await allRows(store)).toEqual(rows)
  })
})

describe.each(await storesHere(['postgres']))('%s', (name) => {
  test(
    'two workers and 50 entities: nothing is handled twice, and each keeps its order',
    { timeout: TIMEOUT_MS },
    async () => {
      await using shared = await openPlace(name)
      const file = join(shared.folder, 'calls.jsonl')
      await using store = await openStore(shared.place)
      await using engine = testEngine(store, file)
      await using first = startProgram('worker', JSON.stringify(shared.place), file)
      await using second = startProgram('worker', JSON.stringify(shared.place), file)
      await Promise.all([begin(first), begin(second)])
      const entities = Array.from({ length: 50 }, (_, index) => `entity ${index}`)
      const submitted: Submitted[] = []
      while (submitted.length < 200) submitted.push(await submitNext(engine, submitted.length, entities))

      const after = await lookBack(store, engine, file, submitted)
      expectAllOnce(submitted, after)
      expect(callsOf(after).filter(({ made }) => made.length !== 1)).toEqual([])
      // Both of them worked.
      expect(new Set(after.calls.map(({ pid }) => pid)).size).toBeGreaterThan(1)
    },
  )
})

/** All rows but those of the workers' lists, which are tidied in the background. */
async function allRows(store: RowStore): Promise<Row[]> {
  const rows: Row[] = []
  for await (const entity of walkEntities(store)) {
    if (entity.startsWith(encodeTuple(['work']))) continue
    for await (const row of walkRows(store, entity)) rows.push(row)
  }
  return rows
}

import { createRetention, inMemoryStore } from '@keepsake/core'
import { expect, it } from 'vitest'
import { testTime, worker } from './support.ts'

const DAY_MS = 86_400_000

it('after checkpoints were pruned, memory is what it was, known events are answered and new ones go on', async () => {
  const time = testTime()
  const store = inMemoryStore()
  const engine = worker<{ add?: string; fail?: boolean }, string[]>(time, {
    store,
    dedupeMs: 5 * DAY_MS,
    async handler(a) {
      if (a.event.data.fail) throw new Error('no')
      if (a.event.data.add !== undefined) await a.memory.append(['log'], a.event.data.add)
      return ((await a.memory.get(['log']))?.value ?? []) as string[]
    },
  })
  const added: string[] = []
  for (let day = 1; day <= 12; day++) {
    await engine.activate({ entity: 'zoe', event: { id: `e${day}`, data: { add: `day ${day}` } } })
    added.push(`day ${day}`)
    if (day === 1) await engine.activate({ entity: 'zoe', event: { id: 'bad', data: { fail: true } } })
    await time.advance(DAY_MS)
  }
  const rules = [
    { kind: 'checkpoints' as const, maxAgeMs: 3 * DAY_MS },
    { kind: 'dead_letters' as const, maxAgeMs: 3 * DAY_MS },
  ]
  const retention = createRetention({ rules, clock: time.seams.clock })
  const commits = async () => (await store.scan('entity\u0001zoe\u0001', { prefix: 'c\u0001', limit: 99 })).length
  expect(await commits()).toBe(12)
  const dry = await retention.sweep(store, { dryRun: true })
  const swept = await retention.sweep(store)
  expect(swept.counts).toEqual(dry.counts)
  expect(swept.counts['dead_letters']).toBe(2)
  expect(swept.counts['checkpoints']).toBeGreaterThan(3)
  expect(await commits()).toBeLessThan(9)
  expect((await retention.sweep(store)).counts).toEqual({})
  expect((await engine.deadLetters()).items).toEqual([])

  // The event is still known, though its commit is due.
  const again = await engine.activate({ entity: 'zoe', event: { id: 'e9', data: { add: 'twice' } } })
  expect(again).toEqual({ status: 'completed', replayed: true, output: added.slice(0, 9) })
  const next = await engine.activate({ entity: 'zoe', event: { id: 'e13', data: { add: 'day 13' } } })
  expect(next).toMatchObject({ output: [...added, 'day 13'] })
  await time.advance(DAY_MS)
  expect(await engine.activate({ entity: 'zoe', event: { id: 'e14', data: {} } })).toMatchObject({
    output: [...added, 'day 13'],
  })
  await engine.close()
})

import { inMemoryStore, KeepsakeError, records, type RowStore } from '@keepsake/core'
import { expect, it } from 'vitest'
import type { Activation } from '../../src/index.ts'
import { idle, keysOf, mortal, testTime, watched, worker } from './support.ts'

const LEASE_MS = 30_000
const ENTITY = 'entity\u0001ada\u0001'
const event = { entity: 'ada', event: { id: 'e1', data: null } }

/** A store on which the first call that `when` names waits for the gate. */
function gated(
  store: RowStore,
  isGate: (keys: string[], method: string) => boolean,
): { store: RowStore; open(): void } {
  const gate = Promise.withResolvers<void>()
  let met = false
  return {
    open: () => gate.resolve(),
    store: watched(store, {
      async before({ method, rows }) {
        if (
          met ||
          !isGate(
            rows.map(({ key }) => key[0]!),
            method,
          )
        )
          return
        met = true
        await gate.promise
      },
    }),
  }
}

it('a worker that sleeps before it decides changes nothing when it wakes', async () => {
  const store = inMemoryStore()
  const time = testTime()
  const sleepy = gated(store, (keys, method) => method === 'write' && keys.includes('c'))
  const handlerOf = (name: string) => async (a: Activation) => {
    await a.longterm.put(['who'], name)
    return name
  }
  const zombie = worker<null, string>(time, { store: sleepy.store, longterm: store, handler: handlerOf('zombie') })
  const asleep = zombie.activate(event)
  await idle()
  const other = worker<null, string>(time, { store, longterm: store, handler: handlerOf('other') })
  // The zombie renews its lease behind the write that hangs, which it does not do: one head write after another.
  expect(await other.activate(event)).toEqual({ status: 'busy' })
  await time.advance(LEASE_MS)
  expect(await other.activate(event)).toEqual({ status: 'completed', output: 'other', replayed: false })
  sleepy.open()
  expect(await asleep).toEqual({ status: 'completed', output: 'other', replayed: true })
  expect((await records(store, 'ada').get(['who']))?.value).toBe('other')
  await idle()
  // The commit that it wrote where a call lands row by row is gone.
  expect((await keysOf(store, ENTITY)).filter((key) => key.startsWith('c '))).toHaveLength(1)
})

it('a worker whose entry is stored by another, committed and cleaned up before it looks, has lost and not found damage', async () => {
  const store = inMemoryStore()
  const time = testTime()
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let entries = 0
  let journaled = false
  const sleepy = watched(store, {
    async before({ method, rows }) {
      if (method === 'write' && rows.some(({ key }) => key.startsWith('j'))) entries++
      // Its entry, and all that it writes meanwhile; then the look at what is stored there.
      if (entries > 0 && method === 'write') await gates[0]!.promise
      if (journaled && method === 'load') await gates[1]!.promise
    },
    after({ method, rows }) {
      if (method === 'write' && rows.some(({ key }) => key.startsWith('j'))) journaled = true
    },
  })
  const handler = (a: Activation) => a.step('step', async () => a.event.id)
  const zombie = worker(time, { store: sleepy, handler })
  const asleep = zombie.activate(event)
  await idle()
  const other = worker(time, { store, handler })
  expect(await other.activate(event)).toEqual({ status: 'busy' })
  await time.advance(LEASE_MS)
  const racing = other.activate(event)
  await racing
  gates[0]!.resolve()
  await idle()
  await other.activate({ entity: 'ada', event: { id: 'e2', data: null } })
  await idle()
  gates[1]!.resolve()
  expect(await asleep).toEqual({ status: 'completed', output: 'e1', replayed: true })
})

it('a decided event is finished by whoever finds it, and its handler does not run again', async () => {
  const store = inMemoryStore()
  const time = testTime()
  const mine = mortal(store)
  const handler = async (a: Activation): Promise<number> => {
    await a.longterm.put(['n'], 1)
    return 1
  }
  // 1 directory, 2 claim, 3 decision, 4 directory of long-term memory.
  mine.dieAt(3, 'after')
  void worker<null, number>(time, { store: mine, longterm: mine, handler }).activate(event)
  await idle()
  expect(await records(store, 'ada').get(['n'])).toBeUndefined()
  const counts: [string, number][] = []
  const other = worker<null, number>(
    time,
    {
      store,
      longterm: store,
      handler: async () => {
        throw new Error('ran again')
      },
    },
    { count: (...counted) => counts.push(counted) },
  )
  expect(await other.activate(event)).toEqual({ status: 'completed', output: 1, replayed: true })
  expect((await records(store, 'ada').get(['n']))?.value).toBe(1)
  expect(counts).toEqual([['keepsake.longterm.upserts', 1]])
})

it('nothing of a decided event shows while its flush fails, and the next delivery goes on with it', async () => {
  const store = inMemoryStore()
  const longterm = inMemoryStore()
  const time = testTime()
  let down = true
  const flaky: RowStore = {
    ...longterm,
    async write(rows, options) {
      if (down) throw new KeepsakeError('unavailable', 'Long-term memory is down.')
      return longterm.write(rows, options)
    },
  }
  let runs = 0
  const engine = worker<null, number>(time, {
    store,
    longterm: flaky,
    handler: async (a) => {
      runs++
      await a.longterm.put(['n'], runs)
      await a.memory.put(['n'], runs)
      return runs
    },
  })
  await expect(engine.activate(event)).rejects.toThrow('Long-term memory is down.')
  await expect(engine.activate({ entity: 'ada', event: { id: 'e2', data: null } })).rejects.toThrow('is down')
  down = false
  expect(await engine.activate(event)).toEqual({ status: 'completed', output: 1, replayed: true })
  expect(runs).toBe(1)
  expect((await records(longterm, 'ada').get(['n']))?.value).toBe(1)
})

it('a failed event is finished by whoever finds it', async () => {
  const store = inMemoryStore()
  const time = testTime()
  const mine = mortal(store)
  // 1 directory, 2 claim, 3 the head says that it failed.
  mine.dieAt(3, 'after')
  void worker<null, number>(time, {
    store: mine,
    handler: async () => {
      throw new Error('No such order.')
    },
  }).activate(event)
  await idle()
  const other = worker<null, number>(time, { store, handler: async () => 2 })
  expect((await other.deadLetters()).items).toEqual([])
  expect(await other.activate({ entity: 'ada', event: { id: 'e2', data: null } })).toMatchObject({ output: 2 })
  expect((await other.deadLetters()).items).toMatchObject([{ entity: 'ada', eventId: 'e1', message: 'No such order.' }])
  expect(await other.activate(event)).toMatchObject({ status: 'failed', error: { message: 'No such order.' } })
})

it('an overtaken flush never puts an older value over a newer one', async () => {
  const store = inMemoryStore()
  const longterm = inMemoryStore()
  const time = testTime()
  const sleepy = gated(longterm, (keys, method) => method === 'write' && keys.includes('r'))
  const handler = async (a: Activation): Promise<null> => {
    await a.longterm.put(['n'], a.event.id)
    return null
  }
  const slow = worker<null, null>(time, { store, longterm: sleepy.store, handler })
  const asleep = slow.activate(event)
  await idle()
  const other = worker<null, null>(time, { store, longterm, handler })
  expect(await other.activate({ entity: 'ada', event: { id: 'e2', data: null } })).toMatchObject({
    status: 'completed',
  })
  expect((await records(longterm, 'ada').get(['n']))?.value).toBe('e2')
  sleepy.open()
  expect(await asleep).toMatchObject({ status: 'completed' })
  expect((await records(longterm, 'ada').get(['n']))?.value).toBe('e2')
})

import { inMemoryStore, records } from '@keepsake/core'
import { scriptedModel } from '@keepsake/store-testing'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { createEngine } from '../../src/index.ts'

it('the program of a durable worker: types come from the schema and the handler', async () => {
  const store = inMemoryStore()
  const stop = new AbortController()
  await using engine = createEngine({
    store,
    longterm: store,
    model: scriptedModel(() => 'Charged.'),
    event: z.object({ orderId: z.string() }),
    handler: async (a) => {
      const n = await a.step('charge', async () => 1)
      await a.longterm.put(['orders', a.event.data.orderId], { n })
      stop.abort()
      return { n }
    },
  })
  await engine.submit({ entity: 'ada', event: { id: 'e1', data: { orderId: 'o1' } } })
  await engine.work({ concurrency: 8, signal: stop.signal })
  expect((await records(store, 'ada').get(['orders', 'o1']))?.value).toEqual({ n: 1 })
  const outcome = await engine.activate({ entity: 'ada', event: { id: 'e1', data: { orderId: 'o1' } } })
  expect(outcome.status === 'completed' && outcome.output.n).toBe(1)
  // @ts-expect-error an order has an id
  await expect(engine.submit({ entity: 'ada', event: { id: 'e2', data: {} } })).rejects.toThrow('orderId')
})

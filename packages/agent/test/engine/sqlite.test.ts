import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { records } from '@keepsake/core'
import { sqliteStore } from '@keepsake/store-sql/sqlite'
import { expect, it } from 'vitest'
import { createEngine, type Activation } from '../../src/index.ts'

it('two engines on one file work every event once, each with what the one before left', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keepsake-engine-'))
  try {
    const path = join(folder, 'engine.db')
    const handler = async (a: Activation<{ n: number }>): Promise<number> => {
      const before = Number((await a.memory.get(['count']))?.value ?? 0)
      const n = await a.step('take', async () => a.event.data.n)
      await a.memory.put(['count'], before + n)
      await a.longterm.put(['last'], a.event.id)
      return before
    }
    const stores = [sqliteStore({ path }), sqliteStore({ path })]
    const engines = stores.map((store) => createEngine<{ n: number }, number>({ store, longterm: store, handler }))
    for (let n = 1; n <= 10; n++) {
      for (const entity of ['ada', 'bob']) await engines[n % 2]!.submit({ entity, event: { id: `e${n}`, data: { n } } })
    }
    const stop = new AbortController()
    const working = engines.map((engine) => engine.work({ signal: stop.signal, concurrency: 2 }))
    for (const entity of ['ada', 'bob']) {
      // Activating it would take it out of turn.
      while ((await records(stores[1]!, entity).get(['last']))?.value !== 'e10') await delay(20)
    }
    stop.abort()
    await Promise.all(working)
    for (const entity of ['ada', 'bob']) {
      const last = await engines[0]!.activate({ entity, event: { id: 'e10', data: { n: 10 } } })
      // 1 + 2 + … + 9.
      expect(last).toEqual({ status: 'completed', output: 45, replayed: true })
    }
    for (const engine of engines) await engine.close()
    for (const store of stores) await store.close()
  } finally {
    await rm(folder, { recursive: true })
  }
})

import { runChaos } from '@keepsake/store-testing/chaos'
import { openStore, type RowStore } from '@keepsake/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { driver as mysql } from '../src/mysql-driver.ts'
import { driver as postgres } from '../src/postgres-driver.ts'
import { ownServer, ownServers, type OwnServer } from './own-server.ts'
import { applied, bytes, row } from './rows.ts'

const COUNTERS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
const STEPS = 150

describe.each(ownServers())('%s, on a server that crashes and is started again with its data', (name) => {
  let server: OwnServer
  beforeAll(async () => {
    server = await ownServer(name)
    await using store = await open()
    await store.provision()
  })
  afterAll(() => server[Symbol.asyncDispose]())

  const open = (): Promise<RowStore> => openStore(server.url, [postgres, mysql])
  async function restart(): Promise<void> {
    await server.crash()
    await server.start()
  }

  test('4 processes that write the same rows, some of them killed too, find all that was acknowledged', async () => {
    const result = await runChaos({
      driver: new URL(`../src/${name}.ts`, import.meta.url).href,
      uri: server.url,
      calls: 750,
      kills: 4,
      outages: { times: 4, strike: restart },
    })
    expect(result).toMatchObject({ violations: [], calls: 3000, kills: 4, outages: 4 })
    // They waited for it.
    expect(result.unanswered).toBeLessThanOrEqual(4)
    expect(result.applied).toBeGreaterThan(750)
  })

  test('a store whose connections are all under way goes on with new ones, and does every step once', async () => {
    await using store = await open()
    const crashes = new Map([200, 500, 900].map((at) => [at, restart]))
    let steps = 0
    let restarted = Promise.resolve()
    async function countUp(counter: string): Promise<void> {
      for (let step = 1; step <= STEPS; step++) {
        await increment(store, counter, step)
        const crash = crashes.get(++steps)
        if (crash !== undefined) restarted = restarted.then(crash)
      }
    }
    await Promise.all(COUNTERS.map(countUp))
    await restarted
    // A step that was done twice, or whose answer was lost and not recognised, would show here.
    expect((await store.scan('counters', { limit: 10 })).map(({ seq, rec }) => [seq, text(rec)])).toEqual(
      COUNTERS.map(() => [STEPS, `step ${STEPS}`]),
    )
    await restart()
    const loads = Array.from({ length: 30 }, () => store.load([{ entity: 'counters', key: 'a' }]))
    expect((await Promise.all(loads)).map(([found]) => found?.seq)).toEqual(loads.map(() => STEPS))
  })
})

/** By compare-and-set, which a repeat of a step that was done must pass and a second step of the same number must not. */
async function increment(store: RowStore, counter: string, step: number): Promise<void> {
  const guard = step === 1 ? ('absent' as const) : { seq: step - 1 }
  const write = row({ entity: 'counters', key: counter, seq: step, rec: bytes(`step ${step}`), guard })
  expect(await store.write([write])).toEqual(applied(1))
}

function text(rec: Uint8Array): string {
  return new TextDecoder().decode(rec)
}

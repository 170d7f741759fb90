import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Bigtable } from '@google-cloud/bigtable'
import type { RowStore } from '@keepsake/core'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { bigtableStore } from '../src/bigtable-store.ts'
import { put } from './rows.ts'

const calls: [method: string, call: (store: RowStore) => Promise<unknown>][] = [
  ['load', (store) => store.load([{ entity: 'e', key: 'k' }])],
  ['write', (store) => store.write([put('k', 1, 'x'), put('l', 1, 'x')])],
  ['provision', (store) => store.provision()],
]

/** A server that takes connections and says nothing, or nobody. */
async function silentServer(): Promise<AsyncDisposable & { address: string }> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.close()
    },
  }
}

afterEach(() => {
  vi.unstubAllEnvs()
})

describe.each(calls)('%s', (_method, call) => {
  test.each([
    ['a port where nobody listens', false],
    ['a server that says nothing', true],
  ])('on %s ends in time, as unavailable and worth another try', async (_what, listens) => {
    vi.stubEnv('METADATA_SERVER_DETECTION', 'none')
    const server = await silentServer()
    if (!listens) await server[Symbol.asyncDispose]()
    const client = new Bigtable({ projectId: 'p', apiEndpoint: server.address, metricsEnabled: false })
    const table = client.instance('i').table('t')
    const store = bigtableStore({ table, requestTimeoutMs: 200, retryTimeoutMs: 400 })
    const begun = performance.now()
    await expect(call(store)).rejects.toMatchObject({ code: 'unavailable', retryable: true })
    // The client's own bounds are 20 s for a write, 12 h for a read and 10 min for the rest.
    expect(performance.now() - begun).toBeLessThan(5000)
    await store.close()
    await client.close()
    if (listens) await server[Symbol.asyncDispose]()
  })

  test('without credentials that work is unavailable, says what to set, and leaves the process alive', async () => {
    vi.stubEnv('BIGTABLE_EMULATOR_HOST', undefined)
    vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', join(import.meta.dirname, 'no-such-file.json'))
    await using store = bigtableStore({ project: 'p', instance: 'i', table: 't' })
    await expect(call(store)).rejects.toMatchObject({
      code: 'unavailable',
      retryable: false,
      message: expect.stringContaining('GOOGLE_APPLICATION_CREDENTIALS') as string,
    })
  })
})

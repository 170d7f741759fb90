import { KeepsakeError, type RowStore } from '@keepsake/core'
import { Redis } from 'ioredis'
import { describe, expect, test } from 'vitest'
import { redisStore } from '../src/redis-store.ts'
import { canStart, ownServer } from './own-server.ts'
import { applied, put, texts } from './rows.ts'

/** As the README shows it. */
function replicated(client: Redis): RowStore {
  let connections = 0
  client.on('ready', () => connections++)
  const store = redisStore({ client })
  return {
    ...store,
    async write(rows, options) {
      const before = connections
      const results = await store.write(rows, options)
      if ((await client.wait(1, 1000)) >= 1 && connections === before) return results
      throw new KeepsakeError('unavailable', 'No replica has this write yet.', { retryable: true })
    },
  }
}

describe.skipIf(!canStart())('writes that wait for a replica', () => {
  test('are all on it when the master dies, and are refused without one', async () => {
    await using master = await ownServer()
    await using replica = await ownServer(['--replicaof', '127.0.0.1', String(master.port)])
    while (!(await replica.admin.info('replication')).includes('master_link_status:up')) await replica.admin.ping()
    const client = new Redis(master.port)
    client.on('error', () => {})
    await client.ping()
    const store = replicated(client)
    for (let seq = 1; seq <= 200; seq++) expect(await store.write([put(`k${seq}`, seq, `${seq}`)])).toEqual([applied])
    await master.kill()
    await replica.admin.replicaof('NO', 'ONE')
    client.disconnect()

    const alone = new Redis(replica.port)
    await alone.ping()
    const promoted = replicated(alone)
    const ids = Array.from({ length: 200 }, (_, i) => ({ entity: 'e', key: `k${i + 1}` }))
    expect(texts(await promoted.load(ids))).toEqual(ids.map((_, i) => `${i + 1}`))
    await expect(promoted.write([put('k', 1, 'x')])).rejects.toMatchObject({ code: 'unavailable', retryable: true })
    alone.disconnect()
  })
})

import { randomUUID } from 'node:crypto'
import { testMemoryModels, testRowStore } from '@keepsake/store-testing'
import { describe } from 'vitest'
import { everythingBelow } from './everything-below.ts'
import { redisStore } from '../src/redis-store.ts'
import { serverUrl } from '@keepsake/services'

const targets = {
  'Redis, at KEEPSAKE_REDIS_URL': await serverUrl('KEEPSAKE_REDIS_URL'),
  'Redis Cluster, at KEEPSAKE_REDIS_CLUSTER_URL': await serverUrl('KEEPSAKE_REDIS_CLUSTER_URL'),
}

for (const [name, url] of Object.entries(targets)) {
  describe.skipIf(url === undefined)(name, () => {
    testRowStore('redis', async () => redisStore({ url: url!, prefix: 'keepsake-test' }))
    const prefix = `models-${randomUUID()}`
    testMemoryModels('chat memory and records', async () => redisStore({ url: url!, prefix }), {
      everything: () => everythingBelow(url!, prefix),
    })
  })
}

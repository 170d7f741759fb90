import { testMemoryModels, testRowStore } from '@keepsake/store-testing'
import { describe } from 'vitest'
import { redisStore } from '../src/redis-store.ts'
import { clusterUrl, serverUrl } from './server.ts'

const targets = {
  'Redis, at KEEPSAKE_REDIS_URL': await serverUrl(),
  'Redis Cluster, at KEEPSAKE_REDIS_CLUSTER_URL': clusterUrl(),
}

for (const [name, url] of Object.entries(targets)) {
  describe.skipIf(url === undefined)(name, () => {
    testRowStore('redis', async () => redisStore({ url: url!, prefix: 'keepsake-test' }))
    testMemoryModels('chat memory and records', async () => redisStore({ url: url!, prefix: 'keepsake-test' }))
  })
}

import { testChaos } from '@keepsake/store-testing/chaos'
import { describe } from 'vitest'
import { clusterUrl, serverUrl } from './server.ts'

const driver = new URL('../src/index.ts', import.meta.url).href
const targets = {
  'Redis, at KEEPSAKE_REDIS_URL': await serverUrl(),
  'Redis Cluster, at KEEPSAKE_REDIS_CLUSTER_URL': clusterUrl(),
}

for (const [name, uri] of Object.entries(targets)) {
  describe.skipIf(uri === undefined)(name, () => {
    testChaos('redis', { driver, uri: uri! })
  })
}

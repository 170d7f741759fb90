import { testChaos } from '@keepsake/store-testing/chaos'
import { describe } from 'vitest'
import { serverUrl } from '@keepsake/services'

const driver = new URL('../src/index.ts', import.meta.url).href
const targets = {
  'Redis, at KEEPSAKE_REDIS_URL': await serverUrl('KEEPSAKE_REDIS_URL'),
  'Redis Cluster, at KEEPSAKE_REDIS_CLUSTER_URL': await serverUrl('KEEPSAKE_REDIS_CLUSTER_URL'),
}

for (const [name, uri] of Object.entries(targets)) {
  describe.skipIf(uri === undefined)(name, () => {
    testChaos('redis', { driver, uri: uri! })
  })
}

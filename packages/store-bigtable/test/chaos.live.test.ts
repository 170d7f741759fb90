import { testChaos } from '@keepsake/store-testing/chaos'
import { describe } from 'vitest'
import { serverUrl } from './server.ts'

const host = await serverUrl()

describe.skipIf(host === undefined)('Bigtable, at BIGTABLE_EMULATOR_HOST', () => {
  testChaos('bigtable', {
    driver: new URL('../src/index.ts', import.meta.url).href,
    uri: 'bigtable://keepsake/test/chaos',
  })
})

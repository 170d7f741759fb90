import { testRowStore } from '@keepsake/store-testing'
import { describe } from 'vitest'
import { bigtableStore } from '../src/bigtable-store.ts'
import { serverUrl } from './server.ts'

const host = await serverUrl()

describe.skipIf(host === undefined)('Bigtable, at BIGTABLE_EMULATOR_HOST', () => {
  testRowStore('bigtable', async () => bigtableStore({ project: 'keepsake', instance: 'test', table: 'contract' }))
})

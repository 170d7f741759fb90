import { testMemoryModels, testRowStore } from '@keepsake/store-testing'
import { describe } from 'vitest'
import { bigtableStore } from '../src/bigtable-store.ts'
import { serverUrl } from './server.ts'

const host = await serverUrl()

describe.skipIf(host === undefined)('Bigtable, at BIGTABLE_EMULATOR_HOST', () => {
  const place = { project: 'keepsake', instance: 'test', table: 'contract' }
  testRowStore('bigtable', async () => bigtableStore(place))
  testMemoryModels('chat memory and records', async () => bigtableStore(place))
})

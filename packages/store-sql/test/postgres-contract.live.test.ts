import { testRowStore } from '@keepsake/store-testing'
import { postgresStore } from '../src/postgres-store.ts'
import { serverUrl } from './server.ts'

const url = await serverUrl('postgres')

if (url !== undefined) {
  testRowStore('PostgreSQL', async () => postgresStore({ url }))
  testRowStore('another schema and table', async () =>
    postgresStore({ url, schema: 'Agents', table: 'agent_Memory_2' }),
  )
}

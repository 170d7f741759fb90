import { testRowStore } from '@keepsake/store-testing'
import { Pool } from 'pg'
import { afterAll } from 'vitest'
import { postgresStore } from '../src/postgres-store.ts'
import { serverUrl } from './server.ts'

const url = await serverUrl('postgres')

if (url !== undefined) {
  testRowStore('PostgreSQL', async () => postgresStore({ url }))

  testRowStore('another schema and table', async () =>
    postgresStore({ url, schema: 'Agents', table: 'agent_Memory_2' }),
  )

  // It waits for the answer to each statement before it sends the next.
  const pool = new Pool({ connectionString: url })
  afterAll(() => pool.end())
  testRowStore('a pool that was passed in', async () => postgresStore({ pool }))
}

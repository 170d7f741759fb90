import { testRowStore } from '@keepsake/store-testing'
import { createPool } from 'mysql2/promise'
import { afterAll } from 'vitest'
import { mysqlStore } from '../src/mysql-store.ts'
import { serverUrl } from './server.ts'

const url = await serverUrl('mysql')

if (url !== undefined) {
  testRowStore('MySQL or MariaDB', async () => mysqlStore({ url }))

  testRowStore('another table', async () => mysqlStore({ url, table: 'agent_Memory_2' }))

  // It counts rows that are found, and not those that are changed.
  const pool = createPool(url)
  afterAll(() => pool.end())
  testRowStore('a pool that was passed in', async () => mysqlStore({ pool }))
}

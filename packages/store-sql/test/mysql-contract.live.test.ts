import { testRowStore } from '@keepsake/store-testing'
import { mysqlStore } from '../src/mysql-store.ts'
import { serverUrl } from './server.ts'

const url = await serverUrl('mysql')

if (url !== undefined) {
  testRowStore('MySQL or MariaDB', async () => mysqlStore({ url }))
  testRowStore('another table', async () => mysqlStore({ url, table: 'agent_Memory_2' }))
}

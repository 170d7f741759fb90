import { createPool } from 'mysql2'
import { Client, Pool } from 'pg'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { mysqlStore } from '../src/mysql-store.ts'
import { postgresStore } from '../src/postgres-store.ts'
import { expectReference, expectSomeOrder } from './expect-reference.ts'
import { liveDatabases } from './live-database.ts'

describe.each(await liveDatabases())('$name', (database) => {
  beforeAll(async () => {
    await database.create()
    await using store = database.open()
    await store.provision()
  })
  afterAll(() => database[Symbol.asyncDispose]())

  test('any calls, one after the other, give what the in-memory store gives', async () => {
    await using store = database.open()
    await expectReference(store, 100)
  })

  test('any writes at once give what they give in some order', async () => {
    await using store = database.open()
    await expectSomeOrder(store, 200)
  })

  test('so do those on what the application passes in', async () => {
    if (database.name === 'postgres') {
      const pool = new Pool({ connectionString: database.url })
      await expectReference(postgresStore({ pool }), 50)
      await expectSomeOrder(postgresStore({ pool }), 50)
      await pool.end()
      const client = new Client({ connectionString: database.url })
      await client.connect()
      await expectReference(postgresStore({ client }), 50)
      await client.end()
    } else {
      // It counts the rows that are found.
      const pool = createPool(database.url)
      await expectReference(mysqlStore({ pool }), 50)
      await expectSomeOrder(mysqlStore({ pool }), 50)
      await new Promise((resolve) => pool.end(resolve))
    }
  })
})

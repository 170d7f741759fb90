import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createConnection } from 'mysql2/promise'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mysqlStore } from '../src/mysql-store.ts'
import { postgresStore } from '../src/postgres-store.ts'
import { failure, SECRET } from './failure.ts'
import { ownServer, ownServers, type OwnServer } from './own-server.ts'
import { applied, row } from './rows.ts'
import type { ServerName } from './server.ts'

const PASSWORD = 'open sesame & more'

/** Makes a user `ada` whose password is asked for. */
const LOCKS: Record<ServerName, (server: OwnServer) => Promise<void>> = {
  async postgres({ url, dataDir }) {
    const client = new Client({ connectionString: url })
    await client.connect()
    await client.query(`CREATE ROLE ada LOGIN PASSWORD '${PASSWORD}'`)
    await client.query('CREATE DATABASE app OWNER ada')
    // The first line that fits decides.
    const file = join(dataDir, 'data/pg_hba.conf')
    const rules = readFileSync(file, 'utf8')
    writeFileSync(file, 'host all ada 127.0.0.1/32 scram-sha-256\n')
    appendFileSync(file, rules)
    await client.query('SELECT pg_reload_conf()')
    await client.end()
  },
  async mysql({ url }) {
    const connection = await createConnection(url)
    await connection.query(`CREATE USER ada IDENTIFIED BY '${PASSWORD}'`)
    await connection.query('CREATE DATABASE app')
    await connection.query('GRANT ALL ON app.* TO ada')
    await connection.end()
  },
}
const openStore = { postgres: postgresStore, mysql: mysqlStore }

describe.each(ownServers())('%s, where a user has a password', (name) => {
  let server: OwnServer
  beforeAll(async () => {
    server = await ownServer(name)
    await LOCKS[name](server)
  })
  afterAll(() => server[Symbol.asyncDispose]())

  function urlWith(username: string, password: string): string {
    const url = new URL(server.url)
    return Object.assign(url, { username, password, pathname: '/app' }).href
  }

  test('the right one opens', async () => {
    await using store = openStore[name]({ url: urlWith('ada', PASSWORD) })
    await store.provision()
    expect(await store.write([row()])).toEqual(applied(1))
  })

  test.each([
    ['a wrong one', 'ada', SECRET],
    ['none', 'ada', ''],
    ['a right one with more behind it', 'ada', `${PASSWORD}${SECRET}`],
  ])('%s is refused at once, says what to check, and is not shown', { timeout: 5000 }, async (_, user, password) => {
    await using store = openStore[name]({ url: urlWith(user, password) })
    for (const call of [() => store.load([row()]), () => store.write([row()]), () => store.provision()]) {
      const error = await failure(call())
      expect([error.code, error.retryable]).toEqual(['unavailable', false])
      expect(error.message).toContain('refused the user or the password')
    }
  })
})

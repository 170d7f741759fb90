import { randomUUID } from 'node:crypto'
import type { RowStore } from '@keepsake/core'
import { createConnection, type Connection, type RowDataPacket } from 'mysql2/promise'
import { Client } from 'pg'
import { expect, vi } from 'vitest'
import { mysqlStore } from '../src/mysql-store.ts'
import { postgresStore } from '../src/postgres-store.ts'
import { serverUrl, type ServerName } from './server.ts'

interface LiveOptions {
  url?: string
  table?: string
  queryTimeoutMs?: number
  retryTimeoutMs?: number
  maxConnections?: number
}

/** An empty database of this test file alone, on a real server: there from `create` until it is disposed of. */
export interface LiveDatabase extends AsyncDisposable {
  readonly name: ServerName
  /** With user and database, to be changed by tests that want something else. */
  readonly url: string
  create(): Promise<void>
  /** A store on it, with the options of its dialect. */
  open(options?: LiveOptions): RowStore
  /** Runs a statement in a session of its own, and gives the rows as lists. */
  run(sql: string): Promise<unknown[][]>
  /** Locks a row, as an application's transaction does, until it is let go. */
  lock(entity: string, key: string): Promise<Disposal>
  /** Ends all sessions of stores on it, as an administrator does. Says how many there were. */
  killSessions(): Promise<number>
  /** How many sessions of stores there are. */
  sessions(): Promise<number>
  /** Resolves when a session of a store on it waits for a lock. */
  oneWaits(): Promise<void>
}

type Disposal = () => Promise<void>

/** One for each server that is there. */
export async function liveDatabases(): Promise<LiveDatabase[]> {
  const open = { postgres: postgresDatabase, mysql: mysqlDatabase }
  const databases: LiveDatabase[] = []
  for (const name of ['postgres', 'mysql'] as const) {
    const url = await serverUrl(name)
    if (url !== undefined) databases.push(open[name](url))
  }
  return databases
}

function databaseUrl(server: string): { url: string; database: string } {
  const database = `keepsake_${randomUUID().replaceAll('-', '')}`
  const url = new URL(server)
  url.pathname = `/${database}`
  return { url: url.href, database }
}

function postgresDatabase(server: string): LiveDatabase {
  const { url, database } = databaseUrl(server)
  const admin = new Client({ connectionString: server })
  const inside = new Client({ connectionString: url, application_name: 'test' })
  const sessions = `FROM pg_stat_activity WHERE datname = '${database}' AND application_name <> 'test'`
  return {
    name: 'postgres',
    url,
    async create() {
      await admin.connect()
      await admin.query(`CREATE DATABASE ${database}`)
      await inside.connect()
    },
    open: (options) => postgresStore({ url, ...options }),
    run: async (sql) => (await inside.query({ text: sql, rowMode: 'array' })).rows,
    async lock(entity, key) {
      const client = new Client({ connectionString: url, application_name: 'test' })
      await client.connect()
      await client.query('BEGIN')
      const sql = 'SELECT 1 FROM keepsake_rows WHERE entity_key = $1 AND key = $2 FOR UPDATE'
      if ((await client.query(sql, [entity, key])).rowCount !== 1) throw new Error('there is no such row')
      return () => client.end()
    },
    killSessions: async () =>
      Number((await admin.query(`SELECT count(pg_terminate_backend(pid)) AS killed ${sessions}`)).rows[0].killed),
    sessions: async () => Number((await admin.query(`SELECT count(*) AS sessions ${sessions}`)).rows[0].sessions),
    oneWaits: () =>
      untilOne(async () => (await admin.query(`SELECT 1 ${sessions} AND wait_event_type = 'Lock'`)).rowCount),
    async [Symbol.asyncDispose]() {
      await inside.end()
      await admin.query(`DROP DATABASE ${database} WITH (FORCE)`)
      await admin.end()
    },
  }
}

function mysqlDatabase(server: string): LiveDatabase {
  const { url, database } = databaseUrl(server)
  let admin: Connection
  let inside: Connection
  const own = new Set<number | null>()
  const sessions = async (condition: string): Promise<number[]> => {
    const sql = `SELECT id FROM information_schema.processlist WHERE db = '${database}' AND ${condition}`
    const [rows] = await admin.query<RowDataPacket[]>(sql)
    return rows.map((row) => Number((row as unknown as unknown[])[0])).filter((id) => !own.has(id))
  }
  return {
    name: 'mysql',
    url,
    async create() {
      admin = await createConnection({ uri: server, rowsAsArray: true })
      await admin.query(`CREATE DATABASE ${database}`)
      inside = await createConnection({ uri: url, rowsAsArray: true })
      own.add(inside.threadId)
    },
    open: (options) => mysqlStore({ url, ...options }),
    run: async (sql) => (await inside.query(sql))[0] as unknown as unknown[][],
    async lock(entity, key) {
      const client = await createConnection({ uri: url, rowsAsArray: true })
      own.add(client.threadId)
      await client.query('START TRANSACTION')
      const sql = 'SELECT 1 FROM keepsake_rows WHERE entity_key = ? AND `key` = ? FOR UPDATE'
      const [rows] = await client.query<RowDataPacket[]>(sql, [entity, key])
      if (rows.length !== 1) throw new Error('there is no such row')
      return () => client.end()
    },
    async killSessions() {
      const ids = await sessions('TRUE')
      for (const id of ids) await admin.query(`KILL ${id}`)
      return ids.length
    },
    sessions: async () => (await sessions('TRUE')).length,
    oneWaits() {
      const waits = 'SELECT trx_mysql_thread_id FROM information_schema.innodb_trx WHERE trx_state = "LOCK WAIT"'
      return untilOne(async () => (await sessions(`id IN (${waits})`)).length)
    },
    async [Symbol.asyncDispose]() {
      await inside.end()
      await admin.query(`DROP DATABASE ${database}`)
      await admin.end()
    },
  }
}

/** Less often than every 100 ms: who asks MariaDB more often gets the same answer again. */
function untilOne(count: () => Promise<number | null>): Promise<void> {
  return vi.waitFor(async () => expect(await count()).toBe(1), { timeout: 10_000, interval: 150 })
}

import { randomBytes } from 'node:crypto'
import type { RowStore } from '@keepsake/core'
import { bigtableStore } from '@keepsake/store-bigtable'
import { firestoreStore } from '@keepsake/store-firestore'
import { redisStore } from '@keepsake/store-redis'
import { mysqlStore } from '@keepsake/store-sql/mysql'
import { postgresStore } from '@keepsake/store-sql/postgres'
import { sqliteStore } from '@keepsake/store-sql/sqlite'
import { rawBigtable } from './raw-bigtable.ts'
import type { RawClient } from './raw-client.ts'
import { rawFirestore } from './raw-firestore.ts'
import { rawMysql } from './raw-mysql.ts'
import { rawPostgres } from './raw-postgres.ts'
import { rawRedis } from './raw-redis.ts'
import { rawSqlite } from './raw-sqlite.ts'
import type { TempFolder } from './temp-folder.ts'

/** A store beside the client that it is built on, both on one server with its own settings for durability. */
export interface Subject {
  name: string
  /** `HOST:PORT` of the server, if there is one. */
  server?: string
  /** `table` is a table, a prefix of keys, a collection, or a file in the folder. */
  open: (table: string, folder: TempFolder) => RowStore
  raw: (table: string, folder: TempFolder) => RawClient | Promise<RawClient>
  /** An emulator: it takes milliseconds where others take one, so fewer operations are measured. */
  isSlow?: boolean
}

const env = process.env
export const postgresUrl = env['KEEPSAKE_POSTGRES_URL'] ?? 'postgres://postgres@127.0.0.1:5432/test'
const mysql = env['KEEPSAKE_MYSQL_URL'] ?? 'mysql://root@127.0.0.1:3306/test'
const redis = env['KEEPSAKE_REDIS_URL'] ?? 'redis://127.0.0.1:6379'
// Google's clients look here, and for a metadata server even where an emulator is named.
const firestore = (env['FIRESTORE_EMULATOR_HOST'] ??= '127.0.0.1:8080')
const bigtable = (env['BIGTABLE_EMULATOR_HOST'] ??= '127.0.0.1:8086')
env['METADATA_SERVER_DETECTION'] = 'none'
// Google's emulators get slower with all that a project ever held.
const project = `bench-${randomBytes(6).toString('hex')}`

export const subjects: readonly Subject[] = [
  {
    name: 'SQLite',
    // Without a sync for each commit, which would take most of the time of both.
    open: (table, folder) => sqliteStore({ path: folder.file(table), durability: 'process' }),
    raw: (table, folder) => rawSqlite(folder.file(table), 'process'),
  },
  {
    name: 'PostgreSQL',
    server: hostOf(postgresUrl, 5432),
    open: (table) => postgresStore({ url: postgresUrl, table }),
    raw: (table) => rawPostgres(postgresUrl, table),
  },
  {
    name: 'MySQL or MariaDB',
    server: hostOf(mysql, 3306),
    open: (table) => mysqlStore({ url: mysql, table }),
    raw: (table) => rawMysql(mysql, table),
  },
  {
    name: 'Redis',
    server: hostOf(redis, 6379),
    open: (prefix) => redisStore({ url: redis, prefix }),
    raw: (prefix) => rawRedis(redis, prefix),
  },
  {
    name: 'Firestore',
    server: firestore,
    open: (collection) => firestoreStore({ project, collection }),
    raw: (collection) => rawFirestore(project, collection),
    isSlow: true,
  },
  {
    name: 'Bigtable',
    server: bigtable,
    open: (table) => bigtableStore({ project, instance: 'bench', table }),
    raw: (table) => rawBigtable(project, 'bench', table),
    isSlow: true,
  },
]

function hostOf(url: string, standardPort: number): string {
  const { hostname, port } = new URL(url)
  return `${hostname}:${port || standardPort}`
}

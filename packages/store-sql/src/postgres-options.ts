import type { Connections } from './connections.ts'
import type { PostgresClient, PostgresPool } from './postgres-client.ts'
import { givenClient, givenPool, ownPool, type PostgresConnection } from './postgres-connections.ts'
import {
  checkLeftOut,
  checkTimes,
  checkUrl,
  checkWhole,
  DEFAULT_MAX_CONNECTIONS,
  invalid,
  type ServerOptions,
  type ServerTimes,
} from './server-options.ts'
import { checkSchemaName, checkTableName, DEFAULT_TABLE } from './tables.ts'

interface CommonOptions extends ServerOptions {
  /** The schema of the tables. Left out: where the search path leads. Created by `provision()` if it does not exist. */
  schema?: string
}

export interface PostgresUrlOptions extends CommonOptions {
  /** `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, with parameters such as `?sslmode=verify-full` as `pg` takes them. */
  url: string
  /** Connections of the store's own pool, at most. Default 10. They are opened when needed, and idle ones are closed. */
  maxConnections?: number
  pool?: never
  client?: never
}

export interface PostgresPoolOptions extends CommonOptions {
  /** A `Pool` of `pg` that the application keeps and closes. With `pipeline: true` a batch takes fewer round trips. */
  pool: PostgresPool
  url?: never
  client?: never
}

export interface PostgresClientOptions extends Omit<CommonOptions, 'queryTimeoutMs' | 'retryTimeoutMs'> {
  /**
   * A connected `Client` of `pg` that the application keeps and closes. Calls take turns on it. Within a transaction of
   * the application the store's writes are part of it; nothing is timed or tried again.
   */
  client: PostgresClient
  url?: never
  pool?: never
}

export type PostgresStoreOptions = PostgresUrlOptions | PostgresPoolOptions | PostgresClientOptions

/** Options that were checked, with their defaults. */
export interface PostgresSettings extends ServerTimes {
  connections: Connections<PostgresConnection>
  schema: string | undefined
  table: string
}

export const POSTGRES_SCHEMES: readonly string[] = Object.freeze(['postgres', 'postgresql'])

/** Throws `invalid_value` for options that cannot be used. Connects to nothing. */
export function checkPostgresOptions(options: PostgresStoreOptions): PostgresSettings {
  if (typeof options !== 'object' || options === null) {
    throw invalid(`postgresStore takes an object such as { url: 'postgres://…' }.`)
  }
  const { schema, table = DEFAULT_TABLE } = options
  checkTableName(table)
  if (schema !== undefined) checkSchemaName(schema)
  return { ...checkTimes(options), connections: checkConnections(options), schema, table }
}

function checkConnections(options: PostgresStoreOptions): Connections<PostgresConnection> {
  const { url, pool, client, ...others }: { [name: string]: unknown } = { ...options }
  if ([url, pool, client].filter((way) => way !== undefined).length !== 1)
    throw invalid('give one of url, pool and client.')
  if (url !== undefined) {
    checkUrl(url, POSTGRES_SCHEMES)
    const { maxConnections = DEFAULT_MAX_CONNECTIONS } = others
    checkWhole('maxConnections', maxConnections, 1)
    return ownPool(url, maxConnections as number)
  }
  if (pool !== undefined) {
    checkLeftOut(others, ['maxConnections'], 'pool')
    if (typeof (pool as PostgresPool | null)?.connect !== 'function') throw invalid('pool must be a Pool of pg.')
    return givenPool(pool as PostgresPool)
  }
  checkLeftOut(others, ['maxConnections', 'queryTimeoutMs', 'retryTimeoutMs'], 'client')
  const methods = ['query', 'getTypeParser', 'getTransactionStatus'] as const
  if (methods.some((name) => typeof (client as PostgresClient | null)?.[name] !== 'function')) {
    throw invalid('client must be a Client of pg, connected.')
  }
  return givenClient(client as PostgresClient)
}

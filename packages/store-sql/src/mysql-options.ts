import type { Connections } from './connections.ts'
import type { MysqlPool } from './mysql-client.ts'
import { givenPool, ownPool, type MysqlConnection } from './mysql-connections.ts'
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
import { checkTableName, DEFAULT_TABLE } from './tables.ts'

export interface MysqlUrlOptions extends ServerOptions {
  /** `mysql://` or `mariadb://USER:PASSWORD@HOST:PORT/DATABASE`, with parameters as `mysql2` takes them. */
  url: string
  /** Connections of the store's own pool, at most. Default 10. They are opened when needed. */
  maxConnections?: number
  pool?: never
}

export interface MysqlPoolOptions extends ServerOptions {
  /**
   * A pool of `mysql2` or `mysql2/promise` that the application keeps and closes. With `flags: ['-FOUND_ROWS']` a write
   * of one row takes one round trip instead of four.
   */
  pool: MysqlPool | { readonly pool: MysqlPool }
  url?: never
}

export type MysqlStoreOptions = MysqlUrlOptions | MysqlPoolOptions

/** Options that were checked, with their defaults. */
export interface MysqlSettings extends ServerTimes {
  connections: Connections<MysqlConnection>
  table: string
}

export const MYSQL_SCHEMES: readonly string[] = Object.freeze(['mysql', 'mariadb'])

/** Throws `invalid_value` for options that cannot be used. Connects to nothing. */
export function checkMysqlOptions(options: MysqlStoreOptions): MysqlSettings {
  if (typeof options !== 'object' || options === null) {
    throw invalid(`mysqlStore takes an object such as { url: 'mysql://…' }.`)
  }
  const { table = DEFAULT_TABLE } = options
  checkTableName(table)
  return { ...checkTimes(options), connections: checkConnections(options), table }
}

function checkConnections(options: MysqlStoreOptions): Connections<MysqlConnection> {
  const { url, pool, ...others }: { [name: string]: unknown } = { ...options }
  if ((url === undefined) === (pool === undefined)) throw invalid('give either url or pool.')
  if (url !== undefined) {
    checkUrl(url, MYSQL_SCHEMES)
    const { maxConnections = DEFAULT_MAX_CONNECTIONS } = others
    checkWhole('maxConnections', maxConnections, 1)
    return ownPool(url, maxConnections as number)
  }
  checkLeftOut(others, ['maxConnections'], 'pool')
  return givenPool(checkPool(pool))
}

/** That of `mysql2/promise` has one of `mysql2` within. */
function checkPool(given: unknown): MysqlPool {
  const within = (given as { pool?: unknown } | null)?.pool
  const pool = (within ?? given) as MysqlPool | null
  if (typeof pool?.getConnection !== 'function') throw invalid('pool must be a pool of mysql2 or mysql2/promise.')
  return pool
}

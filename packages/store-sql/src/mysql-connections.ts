import { KeepsakeError } from '@keepsake/core'
import type { Connections, Lease } from './connections.ts'
import type { MysqlClient, MysqlPool } from './mysql-client.ts'
import { leavesSound } from './mysql-errors.ts'
import { atMost } from './timer.ts'

/** A connection, as the statements need to know it. */
export interface MysqlConnection {
  readonly client: MysqlClient
  /** Whether a transaction of ours is open. */
  inTransaction: boolean
}

const CONNECT_TIMEOUT_MS = 10_000
/** A connection that is gone cannot say goodbye. */
const CLOSE_TIMEOUT_MS = 5000
/** Statements that a connection keeps prepared: the server has memory for some 16,000 of all connections. */
const MAX_STATEMENTS = 100

/** A pool of the store's own, opened when first needed. */
export function ownPool(url: string, maxConnections: number): Connections<MysqlConnection> {
  let opening: Promise<MysqlPool & { end(callback: () => void): void }> | undefined

  async function open() {
    const { createPool } = await importMysql()
    return createPool({
      uri: url,
      connectionLimit: maxConnections,
      connectTimeout: CONNECT_TIMEOUT_MS,
      maxPreparedStatements: MAX_STATEMENTS,
      // So that a write that changes nothing says 0 rows: see mysql-verdict.ts.
      flags: ['-FOUND_ROWS'],
    })
  }

  return {
    replaced: true,
    async acquire() {
      opening ??= open().catch((error: unknown) => {
        opening = undefined
        throw error
      })
      return leaseFrom(await opening)
    },
    async close() {
      const pool = await opening?.catch(() => {})
      if (pool !== undefined) await atMost(new Promise<void>((resolve) => pool.end(resolve)), CLOSE_TIMEOUT_MS)
    },
  }
}

/** A pool of the application. */
export function givenPool(pool: MysqlPool): Connections<MysqlConnection> {
  return { replaced: true, acquire: () => leaseFrom(pool), close: async () => {} }
}

async function leaseFrom(pool: MysqlPool): Promise<Lease<MysqlConnection>> {
  const client = await new Promise<MysqlClient>((resolve, reject) => {
    pool.getConnection((error, found) => (error ? reject(error) : resolve(found)))
  })
  // A connection that breaks says so twice: to its statement, and as an event that ends the process if nobody listens.
  client.on('error', ignore)
  const connection: MysqlConnection = { client, inTransaction: false }
  let released = false

  function giveBack(broken: boolean): void {
    if (released) return
    released = true
    if (broken) return client.destroy()
    client.removeListener('error', ignore)
    client.release()
  }

  return {
    connection,
    release: (error) => giveBack(connection.inTransaction || (error !== undefined && !leavesSound(error))),
    destroy() {
      giveBack(true)
      // The client would wait for the answer to what it has sent.
      client.stream?.destroy()
    },
  }
}

function ignore(): void {}

async function importMysql(): Promise<typeof import('mysql2')> {
  try {
    return (await import('mysql2')).default
  } catch (cause) {
    throw new KeepsakeError('unsupported', 'mysqlStore needs the package mysql2 (3.24 or newer): pnpm add mysql2', {
      cause,
    })
  }
}

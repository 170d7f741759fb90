import { KeepsakeError } from '@keepsake/core'
import type { Connections, Lease } from './connections.ts'
import { leavesSound } from './postgres-errors.ts'
import type { PostgresClient, PostgresPool, PostgresPoolClient } from './postgres-client.ts'
import { atMost } from './timer.ts'

/** A connection, as the statements need to know it. */
export interface PostgresConnection {
  readonly client: PostgresClient
  /** Whether the application's transaction is open: then ours is a part of it. */
  readonly nested: boolean
  readonly pipelined: boolean
}

const CONNECT_TIMEOUT_MS = 10_000
/** A connection that is gone cannot say goodbye. */
const CLOSE_TIMEOUT_MS = 5000

/** A pool of the store's own, opened when first needed. */
export function ownPool(url: string, maxConnections: number): Connections<PostgresConnection> {
  let opening: Promise<PostgresPool & { end(): Promise<void> }> | undefined

  async function open() {
    const { Pool } = await importPg()
    const pool = new Pool({
      connectionString: url,
      max: maxConnections,
      pipeline: true,
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      fallback_application_name: 'keepsake',
    })
    // An idle connection that breaks is replaced; without a listener it would end the process.
    pool.on('error', () => {})
    return pool
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
      if (pool !== undefined) await atMost(pool.end(), CLOSE_TIMEOUT_MS)
    },
  }
}

/** A pool of the application. */
export function givenPool(pool: PostgresPool): Connections<PostgresConnection> {
  return { replaced: true, acquire: () => leaseFrom(pool), close: async () => {} }
}

/** A connection of the application, which takes one call at a time. */
export function givenClient(client: PostgresClient): Connections<PostgresConnection> {
  let last: Promise<unknown> = Promise.resolve()
  return {
    replaced: false,
    async acquire() {
      const { promise: ended, resolve: release } = Promise.withResolvers<void>()
      const before = last
      last = ended
      await before
      const nested = client.getTransactionStatus() !== 'I'
      return { connection: { client, nested, pipelined: false }, release: () => release(), destroy() {} }
    },
    close: async () => {},
  }
}

async function leaseFrom(pool: PostgresPool): Promise<Lease<PostgresConnection>> {
  const client = await pool.connect()
  // A connection that breaks says so twice: to its statement, and as an event that ends the process if nobody listens.
  client.on('error', ignore)
  let released = false

  function giveBack(broken: boolean): void {
    if (released) return
    released = true
    client.removeListener('error', ignore)
    client.release(broken)
  }

  return {
    connection: { client, nested: false, pipelined: client.pipeline === true },
    release: (error) => giveBack(error !== undefined && !isSound(client, error)),
    destroy() {
      // The client would wait for the answers to what it has sent.
      client.connection?.stream?.destroy()
      giveBack(true)
    },
  }
}

function isSound(client: PostgresPoolClient, error: unknown): boolean {
  return leavesSound(error) && client.getTransactionStatus() === 'I'
}

function ignore(): void {}

export async function importPg(): Promise<typeof import('pg')> {
  try {
    return await import('pg')
  } catch (cause) {
    throw new KeepsakeError('unsupported', 'postgresStore needs the package pg (8.23 or newer): pnpm add pg', { cause })
  }
}

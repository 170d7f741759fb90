import {
  defineStore,
  MAX_REC_BYTES,
  type CallOptions,
  type RowStore,
  type RowWrite,
  type StoreLimits,
  type WriteResult,
} from '@keepsake/core'
import { batches } from './batches.ts'
import { boundsOf } from './bounds.ts'
import { loadRows } from './load-rows.ts'
import { copyIds, copyWrites } from './row-copies.ts'
import type { RowQueries } from './row-queries.ts'
import { writeRows } from './write-rows.ts'
import { createServer, type ServerSettings } from './server.ts'

/** A dialect: what a store on a server needs of it. */
export interface ServerDialect<C> extends ServerSettings<C> {
  name: string
  /** Throws `not_provisioned` or `unsupported` for a server that is not ready, and gives the statements for one that is. */
  prepare(connection: C): Promise<RowQueries<C>>
  /** Throws as `prepare` does, and for what may become a problem later. */
  verify(connection: C): Promise<void>
  migrate(connection: C, options: { down?: boolean; to?: number } | undefined): Promise<void>
}

/** Several rows are one transaction, up to `maxBatchRows`: a longer one would keep other writers waiting. */
const serverLimits: StoreLimits = Object.freeze({
  maxRecBytes: MAX_REC_BYTES,
  maxBatchRows: 1000,
  atomicBatch: true,
})

/** Rows that one statement of `removeEntity` removes: some tenths of a second. */
const REMOVED_AT_ONCE = 10_000

/** A row store on a server. Everything that is not a matter of dialect is here. */
export function serverStore<C>(dialect: ServerDialect<C>): RowStore {
  const server = createServer(dialect)
  let preparing: Promise<RowQueries<C>> | undefined

  // What fails is forgotten, so that the next call tries again.
  function prepared(connection: C): Promise<RowQueries<C>> {
    preparing ??= dialect.prepare(connection).catch((error: unknown) => {
      preparing = undefined
      throw error
    })
    return preparing
  }

  /** Work on rows, as one piece. */
  function onRows<T>(
    options: CallOptions | undefined,
    work: (rows: RowQueries<C>, connection: C) => Promise<T>,
  ): Promise<T> {
    return server.call(options, (run) => run(async (connection) => work(await prepared(connection), connection)))
  }

  return defineStore({
    name: dialect.name,
    limits: serverLimits,

    load(ids, o) {
      const own = copyIds(ids)
      return onRows(o, (rows, connection) => loadRows(rows, connection, own))
    },

    scan(entity, range, o) {
      const bounds = boundsOf(range)
      const { limit } = range
      return onRows(o, (rows, connection) => rows.scan(connection, entity, bounds, limit))
    },

    entities(range, o) {
      const bounds = boundsOf(range)
      const { limit } = range
      return onRows(o, (rows, connection) => rows.entities(connection, bounds, limit))
    },

    write(writes, o) {
      const own = copyWrites(writes)
      return server.call(o, async (run) => {
        const write = (batch: readonly RowWrite[]): Promise<WriteResult[]> =>
          run(async (connection) => writeRows(await prepared(connection), connection, batch))
        if (own.length <= serverLimits.maxBatchRows) return write(own)
        const results: WriteResult[] = []
        for (const batch of batches(own, serverLimits.maxBatchRows)) results.push(...(await write(batch)))
        return results
      })
    },

    remove(ids, o) {
      const own = copyIds(ids)
      return onRows(o, async (rows, connection) => {
        let removed = 0
        for (const batch of batches(own, rows.maxIds)) removed += await rows.remove(connection, batch)
        return removed
      })
    },

    removeEntity: (entity, o) =>
      server.call(o, async (run) => {
        for (let removed = 0; ;) {
          const some = await run(async (connection) =>
            (await prepared(connection)).removeSome(connection, entity, REMOVED_AT_ONCE),
          )
          removed += some
          if (some < REMOVED_AT_ONCE) return removed
        }
      }),

    provision: (o) => server.call(o, (run) => run((connection) => dialect.migrate(connection, o), { timed: false })),
    verify: (o) => server.call(o, (run) => run((connection) => dialect.verify(connection))),
    close: () => server.close(),
  })
}

import {
  checkEntity,
  checkRange,
  checkRowIds,
  checkRowWrites,
  type CallOptions,
  type Range,
  type RowId,
  type RowStore,
  type RowWrite,
} from '@keepsake/core'
import { entityList } from './entity-list.ts'
import { redisLimits } from './limits.ts'
import { checkRedisOptions, type RedisStoreOptions } from './options.ts'
import { redisClient } from './redis-client.ts'
import { redisRows } from './redis-rows.ts'
import { checkServers, removeAll } from './server.ts'
import { encodeRow } from './stored-row.ts'

/** A row store on Redis. */
export interface RedisStore extends RowStore {
  /**
   * Rejects with `unsupported` if the server may evict rows to free memory. With `repair` it also makes the list of
   * entities agree with the rows, at the cost of a scan of all keys: after a server was lost, or a writer was killed
   * while another removed the same entity.
   */
  verify(options?: CallOptions & { repair?: boolean }): Promise<void>
}

/**
 * Rows in Redis 6.2 or newer, on one server or a Cluster, by ioredis. Throws `invalid_value` for options that cannot be
 * used; connects when it is first used.
 *
 * - A call on an entity is one script, one round trip; entities are written side by side. The first row of an entity costs
 *   three more, as the list of entities lies elsewhere.
 * - An acknowledged write is in the memory of the server. What it survives is the server's business: with
 *   `appendfsync everysec`, the default of persistent set-ups, a crash loses up to a second, and a failover what the replica
 *   had not received. Use `appendonly yes` with `appendfsync always`, or WAIT, where that is too much.
 * - Survives restarts, SCRIPT FLUSH and failover: commands without an answer are sent again for up to `retryTimeoutMs`,
 *   then the call rejects with `unavailable`.
 */
export function redisStore(options: RedisStoreOptions): RedisStore {
  const settings = checkRedisOptions(options)
  const { prefix } = settings
  const client = redisClient(settings)
  const entities = entityList(client, prefix)
  const rows = redisRows(client, entities, prefix)
  return {
    name: 'redis',
    limits: redisLimits,

    async load(ids: readonly RowId[], o?: CallOptions) {
      checkRowIds(ids)
      return client.call(o, () => rows.load(ids, o))
    },

    async scan(entity: string, range: Range, o?: CallOptions) {
      checkEntity(entity)
      checkRange(range)
      return client.call(o, () => rows.scan(entity, range, o))
    },

    async entities(range: Range, o?: CallOptions) {
      checkRange(range)
      return client.call(o, () => entities.read(range, o))
    },

    async write(writes: readonly RowWrite[], o?: CallOptions) {
      checkRowWrites(writes, redisLimits)
      const encoded = writes.map(encodeRow)
      return client.call(o, () => rows.write(encoded, o))
    },

    async remove(ids: readonly (RowId & { seq?: number })[], o?: CallOptions) {
      checkRowIds(ids)
      return client.call(o, () => rows.remove(ids, o))
    },

    async removeEntity(entity: string, o?: CallOptions) {
      checkEntity(entity)
      return client.call(o, () => rows.removeEntity(entity, o))
    },

    // Redis needs no tables.
    async provision(o?: CallOptions & { down?: boolean; to?: number }) {
      return client.call(o, async () => {
        if (o?.down === true) await removeAll(client, prefix, o)
      })
    },

    async verify(o?: CallOptions & { repair?: boolean }) {
      return client.call(o, async () => {
        await checkServers(client, o)
        if (o?.repair === true) await entities.repair(o)
      })
    },

    close: () => client.close(),
    [Symbol.asyncDispose]: () => client.close(),
  }
}

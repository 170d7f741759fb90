import { defineStore, type CallOptions, type RowStore } from '@keepsake/core'
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
  return defineStore({
    name: 'redis',
    limits: redisLimits,
    load: (ids, o) => rows.load(ids, o),
    scan: (entity, range, o) => rows.scan(entity, range, o),
    entities: (range, o) => entities.read(range, o),
    write: (writes, o) => rows.write(writes.map(encodeRow), o),
    remove: (ids, o) => rows.remove(ids, o),
    removeEntity: (entity, o) => rows.removeEntity(entity, o),
    // Redis needs no tables.
    async provision(o) {
      if (o?.down === true) await removeAll(client, prefix, o)
    },
    async verify(o?: CallOptions & { repair?: boolean }) {
      await checkServers(client, o)
      if (o?.repair === true) await entities.repair(o)
    },
    close: () => client.close(),
  })
}

import { KeepsakeError, type CallOptions } from '@keepsake/core'
import { ENTITY_SHARDS, entityOfKey, shardKey } from './keys.ts'
import type { RedisClient } from './redis-client.ts'
import { isOfCluster } from './redis-errors.ts'

/**
 * Throws `unsupported` if a server may throw rows away when its memory is full, is a replica, or is opened as one server
 * and is part of a cluster. Policies that evict only keys with an expiry are fine: rows have none.
 */
export async function checkServers(client: RedisClient, options?: CallOptions): Promise<void> {
  const { masters, cluster } = await client.servers(options)
  for (const master of masters) {
    const info = await client.send(() => master.info(), options)
    const fact = (name: string): string | undefined => new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1]
    if (fact('redis_mode') === 'cluster' && !cluster) throw isOfCluster()
    if (fact('role') === 'slave') {
      throw new KeepsakeError('unsupported', 'This Redis server is a replica; give the address of the master.')
    }
    const policy = fact('maxmemory_policy') ?? 'noeviction'
    if (policy.startsWith('allkeys')) {
      throw new KeepsakeError(
        'unsupported',
        `Redis may throw rows away when its memory is full: maxmemory-policy is ${policy}. Set it to noeviction.`,
        { details: { policy } },
      )
    }
  }
}

/** Removes every key of ours, and no other. */
export async function removeAll(client: RedisClient, prefix: string, options?: CallOptions): Promise<void> {
  const remove = (keys: readonly string[]): Promise<unknown> =>
    Promise.all(keys.map((key) => client.send((redis) => redis.unlink(key), options)))
  for await (const keys of scanKeys(client, `${prefix}:{e:*}:*`, options)) {
    await remove(keys.filter((key) => entityOfKey(prefix, key) !== undefined))
  }
  await remove(Array.from({ length: ENTITY_SHARDS }, (_, shard) => shardKey(prefix, shard)))
}

/** The keys on all servers that match a pattern of Redis, page by page; some may come twice. */
export async function* scanKeys(client: RedisClient, pattern: string, options?: CallOptions): AsyncGenerator<string[]> {
  const { masters } = await client.servers(options)
  for (const master of masters) {
    let cursor = '0'
    do {
      const from = cursor
      const [next, keys] = await client.send(() => master.scan(from, 'MATCH', pattern, 'COUNT', 1000), options)
      yield keys
      cursor = next
    } while (cursor !== '0')
  }
}

import { KeepsakeError, type CallOptions } from '@keepsake/core'
import type { RedisClient } from './redis-client.ts'

/**
 * Throws `unsupported` if a server may throw rows away when its memory is full. Policies that evict only keys with an
 * expiry are fine: rows have none.
 */
export async function checkEviction(client: RedisClient, options?: CallOptions): Promise<void> {
  for (const master of await client.masters(options)) {
    const memory = await client.send(() => master.info('memory'), options)
    const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1] ?? 'noeviction'
    if (!policy.startsWith('allkeys')) continue
    throw new KeepsakeError(
      'unsupported',
      `Redis may throw rows away when its memory is full: maxmemory-policy is ${policy}. Set it to noeviction.`,
      { details: { policy } },
    )
  }
}

/** Removes every key of ours. */
export async function removeAll(client: RedisClient, prefix: string, options?: CallOptions): Promise<void> {
  for (const master of await client.masters(options)) {
    for await (const keys of master.scanStream({ match: `${prefix}:*`, count: 1000 }) as AsyncIterable<string[]>) {
      await Promise.all(keys.map((key) => client.send((redis) => redis.unlink(key), options)))
    }
  }
}

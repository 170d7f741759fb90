import { compareUtf8, type CallOptions, type Range } from '@keepsake/core'
import { ENTITY_SHARDS, entityKeys, entityOfKey, lexBounds, shardKey, shardOf } from './keys.ts'
import type { RedisClient } from './redis-client.ts'

/**
 * Which entities have rows. A cluster keeps this list on other servers than the rows, so the two cannot change together.
 * The order of writes keeps it complete: an entity is listed before its first row is written, and again after it, as a
 * removal may have come between. What it lists too many is left out when it is read.
 */
export interface EntityList {
  /** Whether this process has listed the entity, so that writing need not do it again. */
  knows(entity: string): boolean
  add(entity: string, options?: CallOptions): Promise<void>
  /** Takes an entity off after its last row went, unless it has rows again. */
  removeEmpty(entity: string, options?: CallOptions): Promise<void>
  read(range: Range, options?: CallOptions): Promise<string[]>
  /** Lists what has rows and takes off what has none: after a crash between two of these steps. */
  repair(options?: CallOptions): Promise<void>
}

const MAX_KNOWN = 10_000

export function entityList(client: RedisClient, prefix: string): EntityList {
  const known = new Set<string>()

  const keyOf = (entity: string): string => shardKey(prefix, shardOf(entity))

  async function add(entity: string, options?: CallOptions): Promise<void> {
    await client.send((redis) => redis.zadd(keyOf(entity), 0, entity), options)
    if (known.size >= MAX_KNOWN) known.clear()
    known.add(entity)
  }

  async function hasRows(entity: string, options?: CallOptions): Promise<boolean> {
    const [, , keys] = entityKeys(prefix, entity)
    return (await client.send((redis) => redis.exists(keys), options)) === 1
  }

  async function removeEmpty(entity: string, options?: CallOptions): Promise<void> {
    known.delete(entity)
    await client.send((redis) => redis.zrem(keyOf(entity), entity), options)
    if (await hasRows(entity, options)) await add(entity, options)
  }

  /** The first entities of every shard, merged. */
  async function listed({ limit, ...range }: Range, options?: CallOptions): Promise<string[]> {
    const [min, max] = lexBounds(range)
    const shards = await Promise.all(
      Array.from({ length: ENTITY_SHARDS }, (_, shard) =>
        client.send((redis) => redis.zrangebylex(shardKey(prefix, shard), min, max, 'LIMIT', 0, limit), options),
      ),
    )
    return shards.flat().toSorted(compareUtf8).slice(0, limit)
  }

  async function read(range: Range, options?: CallOptions): Promise<string[]> {
    const found: string[] = []
    for (let after = range.after; found.length < range.limit;) {
      const page = await listed({ ...range, ...(after !== undefined && { after }) }, options)
      const withRows = await Promise.all(page.map((entity) => hasRows(entity, options)))
      found.push(...page.filter((_, index) => withRows[index]))
      if (page.length < range.limit) break
      after = page.at(-1)!
    }
    return found.slice(0, range.limit)
  }

  return {
    knows: (entity) => known.has(entity),
    add,
    removeEmpty,
    read,

    async repair(options) {
      for (const master of await client.masters(options)) {
        const pattern = `${prefix}:{e:*}:k`
        for await (const keys of master.scanStream({ match: pattern, count: 1000 }) as AsyncIterable<string[]>) {
          for (const key of keys) {
            const entity = entityOfKey(prefix, key)
            if (entity !== undefined) await add(entity, options)
          }
        }
      }
      const limit = 1000
      for (let after: string | undefined; ;) {
        const page = await listed({ limit, ...(after !== undefined && { after }) }, options)
        for (const entity of page) if (!(await hasRows(entity, options))) await removeEmpty(entity, options)
        if (page.length < limit) return
        after = page.at(-1)!
      }
    },
  }
}

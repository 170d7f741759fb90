import { compareUtf8, type CallOptions, type Range } from '@keepsake/core'
import { ENTITY_SHARDS, entityKeys, entityOfKey, lexBounds, shardKey, shardOf } from './keys.ts'
import type { RedisClient } from './redis-client.ts'
import { scanKeys } from './server.ts'

/**
 * Which entities have rows. A cluster keeps this list on other servers than the rows, so the two cannot change together.
 * The order of writes keeps it complete: an entity is listed before its first row is written, and again after it, as a
 * removal may have come between. What it lists too many is left out when it is read.
 */
export interface EntityList {
  add(entity: string, options?: CallOptions): Promise<void>
  /** Takes an entity off after its last row went, unless it has rows again. */
  removeEmpty(entity: string, options?: CallOptions): Promise<void>
  read(range: Range, options?: CallOptions): Promise<string[]>
  /** Lists what has rows and takes off what has none: after a crash between two of these steps. */
  repair(options?: CallOptions): Promise<void>
}

/** Most names that are asked of one shard at a time. */
const MAX_PAGE = 500

export function entityList(client: RedisClient, prefix: string): EntityList {
  const keyOf = (entity: string): string => shardKey(prefix, shardOf(entity))

  async function add(entity: string, options?: CallOptions): Promise<void> {
    await client.send((redis) => redis.zadd(keyOf(entity), 0, entity), options)
  }

  async function hasRows(entity: string, options?: CallOptions): Promise<boolean> {
    const [, , keys] = entityKeys(prefix, entity)
    return (await client.send((redis) => redis.exists(keys), options)) === 1
  }

  async function withRows(entities: readonly string[], options?: CallOptions): Promise<string[]> {
    const answers = await Promise.all(entities.map((entity) => hasRows(entity, options)))
    return entities.filter((_, index) => answers[index])
  }

  async function removeEmpty(entity: string, options?: CallOptions): Promise<void> {
    await client.send((redis) => redis.zrem(keyOf(entity), entity), options)
    if (await hasRows(entity, options)) await add(entity, options)
  }

  /**
   * The next names of all shards, in order, and after which one to go on if there may be more. Names are complete only
   * up to where the shard that was cut off first ends.
   */
  async function nextNames({ limit, ...range }: Range, options?: CallOptions): Promise<[string[], string | undefined]> {
    const [min, max] = lexBounds(range)
    // More than its share, as shards are not quite even.
    const share = Math.min(Math.ceil(limit / (ENTITY_SHARDS / 2)) + 8, MAX_PAGE)
    const shards = await Promise.all(
      Array.from({ length: ENTITY_SHARDS }, (_, shard) =>
        client.send((redis) => redis.zrangebylex(shardKey(prefix, shard), min, max, 'LIMIT', 0, share), options),
      ),
    )
    const cutAt = shards.filter((names) => names.length === share).map((names) => names.at(-1)!)
    const end = cutAt.toSorted(compareUtf8)[0]
    const names = shards.flat().filter((name) => end === undefined || compareUtf8(name, end) <= 0)
    return [names.toSorted(compareUtf8), end]
  }

  async function* everyPage(range: Range, options?: CallOptions): AsyncGenerator<string[]> {
    for (let after = range.after; ;) {
      const [names, end] = await nextNames({ ...range, ...(after !== undefined && { after }) }, options)
      yield names
      if (end === undefined) return
      after = end
    }
  }

  return {
    add,
    removeEmpty,

    async read(range, options) {
      const { limit } = range
      const found: string[] = []
      for await (const names of everyPage(range, options)) {
        for (let at = 0; at < names.length; at += limit) {
          found.push(...(await withRows(names.slice(at, at + limit), options)))
          if (found.length >= limit) return found.slice(0, limit)
        }
      }
      return found
    },

    async repair(options) {
      for await (const keys of scanKeys(client, `${prefix}:{e:*}:k`, options)) {
        const entities = keys.map((key) => entityOfKey(prefix, key)).filter((entity) => entity !== undefined)
        await Promise.all(entities.map((entity) => add(entity, options)))
      }
      for await (const names of everyPage({ limit: 1000 }, options)) {
        const kept = new Set(await withRows(names, options))
        const empty = names.filter((entity) => !kept.has(entity))
        await Promise.all(empty.map((entity) => removeEmpty(entity, options)))
      }
    },
  }
}

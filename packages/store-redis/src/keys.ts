import { compareUtf8, prefixEnd, type Range } from '@keepsake/core'

/**
 * Where an entity's rows lie: a hash of records, a hash of seqs and a sorted set of keys. All three have one hash tag,
 * so a cluster keeps them on one server (https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/#hash-tags).
 * The tag is never empty, and braces of the entity are escaped, as the first `}` would end it.
 */
export function entityKeys(prefix: string, entity: string): [records: string, seqs: string, keys: string] {
  const tag = `${prefix}:{e:${entity.replace(/[%{}]/g, (c) => `%${c.charCodeAt(0).toString(16)}`)}}`
  return [`${tag}:r`, `${tag}:s`, `${tag}:k`]
}

/** The entity of one of its keys, or `undefined` for another key. */
export function entityOfKey(prefix: string, key: string): string | undefined {
  const start = `${prefix}:{e:`
  if (!key.startsWith(start) || !/\}:[rsk]$/.test(key)) return undefined
  const escaped = key.slice(start.length, -3)
  return escaped.replace(/%(25|7b|7d)/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
}

/** The list of entities is spread over so many sorted sets, so that no server of a cluster has it all. */
export const ENTITY_SHARDS = 16

export function shardKey(prefix: string, shard: number): string {
  return `${prefix}:entities:${shard}`
}

/** Which shard lists an entity: FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/) over its UTF-16 units. */
export function shardOf(entity: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < entity.length; i++) hash = Math.imul(hash ^ entity.charCodeAt(i), 0x01000193)
  return (hash >>> 0) % ENTITY_SHARDS
}

/** The bounds of a range for ZRANGEBYLEX, which orders by bytes. */
export function lexBounds({ prefix = '', after }: Omit<Range, 'limit'>): [min: string, max: string] {
  const min = after !== undefined && compareUtf8(after, prefix) >= 0 ? `(${after}` : `[${prefix}`
  const end = prefix === '' ? undefined : prefixEnd(prefix)
  return [min, end === undefined ? '+' : `(${end}`]
}

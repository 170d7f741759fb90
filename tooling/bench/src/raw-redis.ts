import type { RowWrite } from '@keepsake/core'
import { Redis } from 'ioredis'
import type { RawClient } from './raw-client.ts'

/** Seqs lie beside the records, so that the guard reads no record. */
const WRITE = `
local applied = 0
for i = 1, #ARGV, 3 do
  local stored = redis.call('HGET', KEYS[2], ARGV[i])
  if not stored or tonumber(stored) <= tonumber(ARGV[i + 1]) then
    redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 2])
    redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1])
    if not stored then redis.call('ZADD', KEYS[3], 0, ARGV[i]) end
    applied = applied + 1
  end
end
return applied
`
const CLAIM = `
if redis.call('HSETNX', KEYS[2], ARGV[1], ARGV[2]) == 0 then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
redis.call('ZADD', KEYS[3], 0, ARGV[1])
return 1
`
const HEAD_BYTES = 24

type Script = (records: string, seqs: string, keys: string, ...args: (string | Buffer)[]) => Promise<number>

/**
 * `ioredis` by hand: one script for the guard, by its hash, plain commands to read. A scan is two of them, so what is
 * written in between may be missed; the store looks whether something was.
 */
export async function rawRedis(url: string, prefix: string): Promise<RawClient> {
  const redis = new Redis(url)
  redis.defineCommand('writeRows', { numberOfKeys: 3, lua: WRITE })
  redis.defineCommand('claimRow', { numberOfKeys: 3, lua: CLAIM })
  const scripts = redis as unknown as Record<'writeRows' | 'claimRow', Script>
  const places = (entity: string): [string, string, string] => [
    `${prefix}:{${entity}}:records`,
    `${prefix}:{${entity}}:seqs`,
    `${prefix}:{${entity}}:keys`,
  ]

  async function writeBatch(rows: readonly RowWrite[]): Promise<boolean> {
    const args = rows.flatMap(argsOf)
    return (await scripts.writeRows(...places(rows[0]!.entity), ...args)) === rows.length
  }

  async function read(entity: string, keys: readonly string[]): Promise<unknown[]> {
    const found = await redis.hmgetBuffer(places(entity)[0], ...keys)
    return found.flatMap((bytes, i) => (bytes === null ? [] : [decode(keys[i]!, bytes)]))
  }

  return {
    write: (row) => writeBatch([row]),
    writeBatch,
    claim: async (row) => (await scripts.claimRow(...places(row.entity), ...argsOf(row))) === 1,
    async load({ entity, key }) {
      const bytes = await redis.hgetBuffer(places(entity)[0], key)
      return bytes === null ? undefined : decode(key, bytes)
    },
    loadMany: (ids) =>
      read(
        ids[0]!.entity,
        ids.map(({ key }) => key),
      ),
    async scan(entity, limit) {
      const keys = await redis.zrangebylex(places(entity)[2], '-', '+', 'LIMIT', 0, limit)
      return keys.length === 0 ? [] : read(entity, keys)
    },
    async [Symbol.asyncDispose]() {
      const keys = await redis.keys(`${prefix}:*`)
      if (keys.length > 0) await redis.del(keys)
      redis.disconnect()
    },
  }
}

function argsOf({ key, seq, rec, updatedAtMs, expiresAtMs }: RowWrite): (string | Buffer)[] {
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + rec.length)
  bytes.writeDoubleBE(seq, 0)
  bytes.writeDoubleBE(updatedAtMs, 8)
  bytes.writeDoubleBE(expiresAtMs ?? -1, 16)
  bytes.set(rec, HEAD_BYTES)
  return [key, String(seq), bytes]
}

function decode(key: string, bytes: Buffer): unknown {
  return {
    key,
    seq: bytes.readDoubleBE(0),
    updatedAtMs: bytes.readDoubleBE(8),
    expiresAtMs: bytes.readDoubleBE(16),
    rec: bytes.subarray(HEAD_BYTES),
  }
}

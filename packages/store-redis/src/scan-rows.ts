import type { CallOptions, Range, Row } from '@keepsake/core'
import { lexBounds } from './keys.ts'
import type { RedisClient } from './redis-client.ts'
import { SCAN_ROWS, STATE } from './scripts.ts'
import { decodeRow } from './stored-row.ts'

type EntityKeys = readonly [records: string, seqs: string, keys: string]
type Bounds = readonly [min: string, max: string]
/** Records may be fewer than keys. */
type Page = [keys: readonly string[], records: readonly (Buffer | null)[]]

const FIRST_PAGE_ROWS = 100
const MAX_PAGE_ROWS = 1000
/** Pages are of about so many bytes, so that they neither hold up the server nor fill its buffers. */
const PAGE_BYTES = 8 * 1024 * 1024

/** Rows of one entity in order. Each page is what was stored at one moment. */
export async function scanRows(
  client: RedisClient,
  entityKeys: EntityKeys,
  entity: string,
  { limit, ...range }: Range,
  options?: CallOptions,
): Promise<Row[]> {
  const rows: Row[] = []
  let pageRows = FIRST_PAGE_ROWS
  for (let after = range.after; ; after = rows.at(-1)!.key) {
    const bounds = lexBounds({ ...range, ...(after !== undefined && { after }) })
    const asked = Math.min(limit - rows.length, pageRows)
    const [keys, records] =
      (await readPlainly(client, entityKeys, bounds, asked, options)) ??
      (await readAtOnce(client, entityKeys, bounds, asked, options))
    let bytes = 0
    for (const [i, record] of records.entries()) {
      rows.push(decodeRow(entity, keys[i]!, record!))
      bytes += record!.length
    }
    if (keys.length < asked && records.length === keys.length) return rows
    if (rows.length === limit) return rows
    pageRows = Math.max(1, Math.min(MAX_PAGE_ROWS, Math.floor((PAGE_BYTES * records.length) / bytes)))
  }
}

/**
 * By two plain round trips, as Lua takes several times as long for the same answer. `undefined` if somebody wrote to the
 * entity in between.
 */
async function readPlainly(
  client: RedisClient,
  [recordsKey, seqsKey, keysKey]: EntityKeys,
  [min, max]: Bounds,
  asked: number,
  options?: CallOptions,
): Promise<Page | undefined> {
  const [before, keys] = await client.send(
    (redis) => Promise.all([redis.hgetBuffer(seqsKey, STATE), redis.zrangebylex(keysKey, min, max, 'LIMIT', 0, asked)]),
    options,
  )
  if (before === null || keys.length === 0) return [[], []]
  const [records, state] = await client.send(
    (redis) => Promise.all([redis.hmgetBuffer(recordsKey, ...keys), redis.hgetBuffer(seqsKey, STATE)]),
    options,
  )
  return state?.equals(before) === true ? [keys, records] : undefined
}

async function readAtOnce(
  client: RedisClient,
  [recordsKey, , keysKey]: EntityKeys,
  bounds: Bounds,
  asked: number,
  options?: CallOptions,
): Promise<Page> {
  const args = [...bounds, String(asked), String(PAGE_BYTES)]
  const [keys, records] = await client.run<[Buffer[], Buffer[]]>(SCAN_ROWS, [recordsKey, keysKey], args, options)
  return [keys.map(String), records]
}

import type { CallOptions, Range, Row, RowId, RowWrite, WriteResult } from '@keepsake/core'
import type { EntityList } from './entity-list.ts'
import { encodeHead, entityKeys, lexBounds, toRow } from './keys.ts'
import { redisLimits } from './limits.ts'
import type { RedisClient, Reply } from './redis-client.ts'
import { APPLIED, LOAD_ROWS, NOT_LISTED, REMOVE_ENTITY, REMOVE_ROWS, SCAN_ROWS, WRITE_ROWS } from './scripts.ts'
import { byEntity } from './side-by-side.ts'

/** What the store does with rows, on arguments that were checked. */
export interface RedisRows {
  load(ids: readonly RowId[], options?: CallOptions): Promise<(Row | undefined)[]>
  scan(entity: string, range: Range, options?: CallOptions): Promise<Row[]>
  write(rows: readonly RowWrite[], options?: CallOptions): Promise<WriteResult[]>
  remove(ids: readonly (RowId & { seq?: number })[], options?: CallOptions): Promise<number>
  removeEntity(entity: string, options?: CallOptions): Promise<number>
}

/** Answers are read in parts of about so many bytes, so that no reader holds up the server or fills its buffers. */
const MAX_REPLY_BYTES = String(8 * 1024 * 1024)
/** No script asks for more, so that other callers get their turn. */
const MAX_KEYS = 500

export function redisRows(client: RedisClient, entities: EntityList, prefix: string): RedisRows {
  async function writeBatch(entity: string, rows: readonly RowWrite[], o?: CallOptions): Promise<WriteResult[]> {
    const keys = entityKeys(prefix, entity)
    const args = rows.flatMap((row) => [row.key, String(row.seq), encodeHead(row), guardOf(row), row.rec])
    const answers = await client.run(WRITE_ROWS, keys, ['', ...args], o)
    if (answers[0] !== NOT_LISTED) return answers.map(toResult)
    await entities.add(entity, o)
    const results = (await client.run(WRITE_ROWS, keys, ['listed', ...args], o)).map(toResult)
    await entities.add(entity, o)
    return results
  }

  async function loadFrom(entity: string, keys: readonly string[], o?: CallOptions): Promise<(Row | undefined)[]> {
    const rows: (Row | undefined)[] = []
    const [records, heads] = entityKeys(prefix, entity)
    while (rows.length < keys.length) {
      const asked = keys.slice(rows.length, rows.length + MAX_KEYS)
      const reply = await client.run(LOAD_ROWS, [records, heads], [MAX_REPLY_BYTES, ...asked], o)
      for (let i = 0; i < reply.length; i += 2) {
        const head = reply[i] as Buffer | null
        rows.push(head === null ? undefined : toRow(entity, asked[i / 2]!, head, reply[i + 1] as Buffer))
      }
    }
    return rows
  }

  async function scan(entity: string, { limit, ...range }: Range, o?: CallOptions): Promise<Row[]> {
    const rows: Row[] = []
    let more = true
    for (let after = range.after; more && rows.length < limit; after = rows.at(-1)?.key) {
      const bounds = lexBounds({ ...range, ...(after !== undefined && { after }) })
      const asked = Math.min(limit - rows.length, MAX_KEYS)
      const reply = await client.run(
        SCAN_ROWS,
        entityKeys(prefix, entity),
        [MAX_REPLY_BYTES, ...bounds, String(asked)],
        o,
      )
      for (let i = 1; i < reply.length; i += 3) {
        const [key, head, rec] = reply.slice(i, i + 3) as [Buffer, Buffer, Buffer]
        rows.push(toRow(entity, key.toString(), head, rec))
      }
      more = reply[0] === 1
    }
    return rows
  }

  return {
    load: (ids, o) =>
      byEntity(ids, (entity, group) =>
        loadFrom(
          entity,
          group.map(({ key }) => key),
          o,
        ),
      ),

    scan,

    write: (rows, o) =>
      byEntity(rows, async (entity, group) => {
        const results: WriteResult[] = []
        for (const batch of batches(group, redisLimits.maxBatchRows))
          results.push(...(await writeBatch(entity, batch, o)))
        return results
      }),

    async remove(ids, o) {
      let removed = 0
      for (const [entity, group] of Map.groupBy(ids, (id) => id.entity)) {
        for (const batch of batches(group, MAX_KEYS)) {
          const args = batch.flatMap(({ key, seq }) => [key, seq === undefined ? '' : String(seq)])
          const [went, left] = await client.run(REMOVE_ROWS, entityKeys(prefix, entity), args, o)
          removed += went as number
          if (left === 0) await entities.removeEmpty(entity, o)
        }
      }
      return removed
    },

    async removeEntity(entity, o) {
      const [removed] = await client.run(REMOVE_ENTITY, entityKeys(prefix, entity), [], o)
      await entities.removeEmpty(entity, o)
      return removed as number
    },
  }
}

function guardOf({ guard = 'monotonic' }: RowWrite): string {
  if (guard === 'monotonic') return 'm'
  return guard === 'absent' ? 'a' : String(guard.seq)
}

function toResult(answer: Reply): WriteResult {
  return answer === APPLIED ? { status: 'applied' } : { status: 'stale', seq: answer as number }
}

function batches<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size))
}

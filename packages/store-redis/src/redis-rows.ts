import type { CallOptions, Range, Row, RowId, WriteResult } from '@keepsake/core'
import type { EntityList } from './entity-list.ts'
import { entityKeys } from './keys.ts'
import { redisLimits } from './limits.ts'
import type { RedisClient } from './redis-client.ts'
import { scanRows } from './scan-rows.ts'
import { APPLIED, NOT_LISTED, REMOVE_ENTITY, REMOVE_ROWS, WRITE_ROWS } from './scripts.ts'
import { byEntity, sideBySide } from './side-by-side.ts'
import { decodeRow, type StoredWrite } from './stored-row.ts'

/** What the store does with rows, on arguments that were checked. */
export interface RedisRows {
  load(ids: readonly RowId[], options?: CallOptions): Promise<(Row | undefined)[]>
  scan(entity: string, range: Range, options?: CallOptions): Promise<Row[]>
  write(rows: readonly StoredWrite[], options?: CallOptions): Promise<WriteResult[]>
  remove(ids: readonly (RowId & { seq?: number })[], options?: CallOptions): Promise<number>
  removeEntity(entity: string, options?: CallOptions): Promise<number>
}

/** No command asks for more rows, so that other callers get their turn. */
const MAX_KEYS = 100

export function redisRows(client: RedisClient, entities: EntityList, prefix: string): RedisRows {
  async function writeBatch(entity: string, rows: readonly StoredWrite[], o?: CallOptions): Promise<WriteResult[]> {
    const keys = entityKeys(prefix, entity)
    const args: (string | Buffer)[] = ['']
    for (const { key, seq, guard, record } of rows) args.push(key, seq, guard, record)
    let answers = await client.run<number[]>(WRITE_ROWS, keys, args, o)
    if (answers[0] === NOT_LISTED) {
      args[0] = 'listed'
      await entities.add(entity, o)
      answers = await client.run<number[]>(WRITE_ROWS, keys, args, o)
      await entities.add(entity, o)
    }
    return answers.map(toResult)
  }

  async function loadBatch(entity: string, ids: readonly RowId[], o?: CallOptions): Promise<(Row | undefined)[]> {
    const [records] = entityKeys(prefix, entity)
    const found = await client.send((redis) => redis.hmgetBuffer(records, ...ids.map(({ key }) => key)), o)
    return found.map((record, i) => (record === null ? undefined : decodeRow(entity, ids[i]!.key, record)))
  }

  return {
    load: (ids, o) =>
      byEntity(ids, (entity, group) => inBatches(group, MAX_KEYS, (part) => loadBatch(entity, part, o))),

    scan: (entity, range, o) => scanRows(client, entityKeys(prefix, entity), entity, range, o),

    write: (rows, o) =>
      byEntity(rows, (entity, group) =>
        inBatches(group, redisLimits.maxBatchRows, (part) => writeBatch(entity, part, o)),
      ),

    async remove(ids, o) {
      let removed = 0
      await sideBySide(Array.from(Map.groupBy(ids, ({ entity }) => entity)), async ([entity, group]) => {
        for (let at = 0; at < group.length; at += MAX_KEYS) {
          const part = group.slice(at, at + MAX_KEYS)
          const args = part.flatMap(({ key, seq }) => [key, seq === undefined ? '' : String(seq)])
          const [went, left] = await client.run<[number, number]>(REMOVE_ROWS, entityKeys(prefix, entity), args, o)
          removed += went
          if (left === 0) await entities.removeEmpty(entity, o)
        }
      })
      return removed
    },

    async removeEntity(entity, o) {
      const [removed] = await client.run<[number]>(REMOVE_ENTITY, entityKeys(prefix, entity), [], o)
      await entities.removeEmpty(entity, o)
      return removed
    },
  }
}

function toResult(answer: number): WriteResult {
  return answer === APPLIED ? { status: 'applied' } : { status: 'stale', seq: answer }
}

/** Does something for parts of a list, one after the other, and returns all answers. */
function inBatches<T, R>(items: readonly T[], size: number, work: (part: readonly T[]) => Promise<R[]>): Promise<R[]> {
  return items.length <= size ? work(items) : inSeveralBatches(items, size, work)
}

async function inSeveralBatches<T, R>(
  items: readonly T[],
  size: number,
  work: (part: readonly T[]) => Promise<R[]>,
): Promise<R[]> {
  const answers: R[] = []
  for (let at = 0; at < items.length; at += size) answers.push(...(await work(items.slice(at, at + size))))
  return answers
}

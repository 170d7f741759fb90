import { createClock, type Clock } from '../src/clock.ts'
import type { Row, RowStore } from '../src/rows/row-store.ts'
import { walkEntities, walkRows } from '../src/migration/walk-rows.ts'

/** 2024-01-01 00:00:01Z, when versions begin at 4,096,000. Ids count up from `id-1`. */
export const NOW_MS: number = Date.UTC(2024, 0, 1, 0, 0, 1)

export function testClock(): Clock {
  let ids = 0
  return createClock({ nowMs: () => NOW_MS, newId: () => `id-${++ids}` })
}

export function row(entity: string, key: string, seq = 1, rest: Partial<Row> = {}): Row {
  return {
    entity,
    key,
    seq,
    rec: new TextEncoder().encode(`${entity} ${key} ${seq}`),
    updatedAtMs: 1000 + seq,
    ...rest,
  }
}

/** Many rows of an entity, in order. */
export function manyRows(entity: string, count: number): Row[] {
  return Array.from({ length: count }, (_, i) => row(entity, String(i).padStart(6, '0')))
}

/** All rows of a store, the mark of a migration too. */
export async function allRows(store: RowStore): Promise<Row[]> {
  const rows: Row[] = []
  for await (const entity of walkEntities(store)) {
    for await (const one of walkRows(store, entity)) rows.push(one)
  }
  return rows
}

/** What is awaited before each call reaches the store. */
export interface Hooks {
  load?: () => unknown
  scan?: (entity: string, after: string | undefined) => unknown
  write?: (rows: readonly Row[]) => unknown
  remove?: () => unknown
}

export function hooked(store: RowStore, hooks: Hooks): RowStore {
  return {
    ...store,
    async load(ids, options) {
      await hooks.load?.()
      return await store.load(ids, options)
    },
    async scan(entity, range, options) {
      await hooks.scan?.(entity, range.after)
      return await store.scan(entity, range, options)
    },
    async write(rows, options) {
      await hooks.write?.(rows)
      return await store.write(rows, options)
    },
    async remove(ids, options) {
      await hooks.remove?.()
      return await store.remove(ids, options)
    },
  }
}

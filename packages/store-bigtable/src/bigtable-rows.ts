import type { CallOptions, Range, Row, RowId, RowWrite, WriteResult } from '@keepsake/core'
import { deleteMutations, toRow, type Cells } from './cells.ts'
import { onlyKey, onlySeq, seqIs, wholeRow } from './row-filters.ts'
import { entitiesIn, idOf, rowKeyOf, rowsOf } from './row-keys.ts'
import { sideBySide } from './side-by-side.ts'
import type { TableRequests } from './table-requests.ts'
import { writeRow } from './write-row.ts'

/** What the store does with rows, on arguments that were checked. */
export interface BigtableRows {
  load(ids: readonly RowId[], options?: CallOptions): Promise<(Row | undefined)[]>
  scan(entity: string, range: Range, options?: CallOptions): Promise<Row[]>
  entities(range: Range, options?: CallOptions): Promise<string[]>
  write(rows: readonly RowWrite[], options?: CallOptions): Promise<WriteResult[]>
  remove(ids: readonly (RowId & { seq?: number })[], options?: CallOptions): Promise<number>
  removeEntity(entity: string, options?: CallOptions): Promise<number>
}

/** Changes of rows that are under way at once: as many as one connection carries. */
const MAX_LANES = 100
/** And no more of them than make so many bytes, as each is copied on its way. */
const MAX_BYTES_UNDER_WAY = 64 * 1024 * 1024
/** Keys of the largest size in one request stay below 1 MB. */
const MAX_KEYS = 500
const KEYS_PER_PAGE = 1000
/** Rows that a step of `entities` looks at: small entities come several at a time, large ones are jumped over. */
const ROWS_PER_STEP = 16

export function bigtableRows(requests: TableRequests): BigtableRows {
  async function removeRows(ids: readonly (RowId & { seq?: number })[], o?: CallOptions): Promise<number> {
    const rows = ids.map((id) => ({
      rowKey: rowKeyOf(id),
      condition: id.seq === undefined ? onlySeq : seqIs(id.seq),
    }))
    const removed = await sideBySide(
      rows,
      ({ rowKey }) => rowKey,
      MAX_LANES,
      ({ rowKey, condition }) => requests.change(rowKey, condition, { onMatch: deleteMutations }, o),
    )
    return removed.filter(Boolean).length
  }

  return {
    async load(ids, o) {
      const rowKeys = ids.map(rowKeyOf)
      const keys = [...new Set(rowKeys)]
      const found = new Map<string, Cells>()
      for (let at = 0; at < keys.length; at += MAX_KEYS) {
        const rows = await requests.read({ keys: keys.slice(at, at + MAX_KEYS) }, wholeRow, o)
        for (const { rowKey, cells } of rows) found.set(rowKey, cells)
      }
      return rowKeys.map((rowKey) => {
        const cells = found.get(rowKey)
        return cells && toRow(idOf(rowKey), cells)
      })
    },

    async scan(entity, { limit, ...part }, o) {
      const range = rowsOf(entity, part)
      if (range === undefined) return []
      const rows = await requests.read({ range, limit }, wholeRow, o)
      return rows.map(({ rowKey, cells }) => toRow(idOf(rowKey), cells))
    },

    async entities({ limit, ...part }, o) {
      const names: string[] = []
      for (let range = entitiesIn(part); range !== undefined && names.length < limit;) {
        const rows = await requests.read({ range, limit: ROWS_PER_STEP }, onlyKey, o)
        for (const { rowKey } of rows) {
          const { entity } = idOf(rowKey)
          if (entity !== names.at(-1)) names.push(entity)
        }
        if (rows.length < ROWS_PER_STEP) break
        range = entitiesIn({ ...part, after: names.at(-1)! })
      }
      return names.slice(0, limit)
    },

    write(rows, o) {
      const largest = rows.reduce((bytes, { rec }) => Math.max(bytes, rec.length), 1)
      const lanes = Math.min(MAX_LANES, Math.floor(MAX_BYTES_UNDER_WAY / largest))
      return sideBySide(rows, rowKeyOf, lanes, (row) => writeRow(requests, row, o))
    },

    remove: removeRows,

    async removeEntity(entity, o) {
      let removed = 0
      for (let range = rowsOf(entity, {}); range !== undefined;) {
        const rows = await requests.read({ range, limit: KEYS_PER_PAGE }, onlyKey, o)
        const ids = rows.map(({ rowKey }) => idOf(rowKey))
        removed += await removeRows(ids, o)
        if (rows.length < KEYS_PER_PAGE) break
        range = rowsOf(entity, { after: ids.at(-1)!.key })
      }
      return removed
    },
  }
}

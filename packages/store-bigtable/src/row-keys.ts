import { compareUtf8, prefixEnd, type Range, type RowId } from '@keepsake/core'

/**
 * Keys of Bigtable's rows are bytes in order. Ours are the UTF-8 of entity, U+0000 and key: neither can hold that
 * character, so no two pairs meet, and entities come in order with their keys in order.
 */
const SEPARATOR = '\u0000'
/** The first character after the separator: where all rows of an entity have passed. */
const AFTER_SEPARATOR = '\u0001'

export function rowKeyOf({ entity, key }: RowId): string {
  return entity + SEPARATOR + key
}

export function idOf(rowKey: string): RowId {
  const at = rowKey.indexOf(SEPARATOR)
  return { entity: rowKey.slice(0, at), key: rowKey.slice(at + 1) }
}

/** A part of the table. Left out: from its start, to its end. */
export interface RowKeyRange {
  from?: { rowKey: string; inclusive: boolean }
  /** Not part of the range. */
  end?: string
}

/** The rows of an entity in a range; `undefined` where there can be none, as Bigtable refuses ranges that are empty. */
export function rowsOf(entity: string, { prefix = '', after }: Omit<Range, 'limit'>): RowKeyRange | undefined {
  const isAfter = after !== undefined && compareUtf8(after, prefix) >= 0
  const rowKey = rowKeyOf({ entity, key: isAfter ? after : prefix })
  const endOfPrefix = prefix === '' ? undefined : prefixEnd(prefix)
  const end = endOfPrefix === undefined ? afterEntity(entity) : rowKeyOf({ entity, key: endOfPrefix })
  if (compareUtf8(rowKey, end) >= 0) return undefined
  return { from: { rowKey, inclusive: !isAfter }, end }
}

/** The rows of entities in a range; `undefined` where there can be none. */
export function entitiesIn({ prefix = '', after }: Omit<Range, 'limit'>): RowKeyRange | undefined {
  const afterKey = after === undefined ? '' : afterEntity(after)
  const rowKey = compareUtf8(afterKey, prefix) > 0 ? afterKey : prefix
  const end = prefix === '' ? undefined : prefixEnd(prefix)
  if (end !== undefined && compareUtf8(rowKey, end) >= 0) return undefined
  return { ...(rowKey !== '' && { from: { rowKey, inclusive: true } }), ...(end !== undefined && { end }) }
}

/** Where the entities after this one begin. */
function afterEntity(entity: string): string {
  return entity + AFTER_SEPARATOR
}

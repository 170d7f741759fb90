import { createHash } from 'node:crypto'
import { MIGRATION_ENTITY, walkEntities, walkRows, type Row, type RowStore } from '@keepsake/core'

export type RowDigest = Omit<Row, 'rec'> & { rec: string }

/** All rows of a store in order, with a hash in the place of each record. */
export async function storedRows(store: RowStore): Promise<RowDigest[]> {
  const rows: RowDigest[] = []
  for await (const entity of walkEntities(store)) {
    if (entity === MIGRATION_ENTITY) continue
    for await (const { rec, ...row } of walkRows(store, entity)) {
      rows.push({ ...row, rec: `${rec.length} ${createHash('sha256').update(rec).digest('hex')}` })
    }
  }
  return rows
}

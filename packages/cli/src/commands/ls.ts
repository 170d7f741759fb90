import { systemClock, type Row, walkRows } from '@keepsake/core'
import type { Context } from '../context.ts'
import { entityNotFound } from '../entity-not-found.ts'
import { formatBytes, formatTime } from '../quantities.ts'
import { rowState } from '../row-json.ts'
import { showList, type ListView } from '../show-list.ts'
import { formatTupleText, parseTupleText, tupleJson } from '../tuple-text.ts'

export interface LsOptions {
  prefix?: string
  limit?: number
}

/** Lists the rows of an entity, without their content. */
export async function run({ out, openStore }: Context, entityText: string, options: LsOptions): Promise<void> {
  const entity = parseTupleText(entityText, 'ENTITY')
  const prefix = options.prefix === undefined ? undefined : parseTupleText(options.prefix, '--prefix')
  await using store = await openStore()
  const view = rowView(systemClock().nowMs())
  const count = await showList(out, view, options.limit, (limit) => walkRows(store, entity, { prefix, limit }))
  if (count > 0) return
  if (prefix === undefined) throw await entityNotFound(store, entity)
  out.note('No key of this entity begins so.')
}

function rowView(nowMs: number): ListView<Row> {
  return {
    plural: 'rows',
    columns: [
      { title: 'KEY', flexible: true },
      { title: 'SEQ', align: 'right' },
      { title: 'SIZE', align: 'right' },
      { title: 'UPDATED' },
      { title: 'EXPIRES' },
      { title: 'STATE' },
    ],
    cells(row) {
      const state = rowState(row, nowMs)
      return [
        formatTupleText(row.key),
        String(row.seq),
        formatBytes(row.rec.length),
        formatTime(row.updatedAtMs),
        row.expiresAtMs === undefined ? '' : formatTime(row.expiresAtMs),
        state === 'live' ? '' : state,
      ]
    },
    json: ({ rec, ...row }) => ({
      entity: tupleJson(row.entity),
      key: tupleJson(row.key),
      seq: row.seq,
      bytes: rec.length,
      updatedAtMs: row.updatedAtMs,
      ...(row.expiresAtMs !== undefined && { expiresAtMs: row.expiresAtMs }),
      state: rowState({ ...row, rec }, nowMs),
    }),
  }
}

import { walkEntities } from '@keepsake/core'
import type { Context } from '../context.ts'
import { showList, type ListView } from '../show-list.ts'
import { formatTupleText, parseTupleText, tupleJson } from '../tuple-text.ts'

export interface EntitiesOptions {
  prefix?: string
  limit?: number
}

const view: ListView<string> = {
  plural: 'entities',
  columns: [{ title: 'ENTITY', flexible: true }],
  cells: (entity) => [formatTupleText(entity)],
  json: (entity) => ({ entity: tupleJson(entity) }),
}

/** Lists whose memory the store holds. */
export async function run({ out, openStore }: Context, options: EntitiesOptions): Promise<void> {
  const prefix = options.prefix === undefined ? undefined : parseTupleText(options.prefix, '--prefix')
  await using store = await openStore()
  const count = await showList(out, view, options.limit, (limit) => walkEntities(store, { prefix, limit }))
  if (count > 0) return
  out.note(prefix === undefined ? 'Nothing is remembered in this store yet.' : 'No entity begins so.')
}

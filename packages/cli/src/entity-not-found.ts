import { encodeTuple, type RowStore } from '@keepsake/core'
import { notFoundError, type CliError } from './cli-error.ts'
import { formatTupleText, tupleJson } from './tuple-text.ts'

/** Kinds of entities that core's models make: people tend to type only the name after it. */
const KINDS = ['owner', 'thread', 'subject']

/** Says that an entity has no rows, and which one may have been meant. */
export async function entityNotFound(store: RowStore, entity: string): Promise<CliError> {
  const name = formatTupleText(entity)
  for (const candidate of candidates(entity)) {
    const rows = await store.scan(candidate, { limit: 1 }).catch(() => [])
    if (rows.length > 0) return notFoundError(`There is no entity ${name}. Did you mean ${formatTupleText(candidate)}?`)
  }
  return notFoundError(`There is no entity ${name}. See them all with: keepsake entities`)
}

function candidates(entity: string): string[] {
  const ofKinds = KINDS.map((kind) => encodeTuple([kind]) + entity)
  const name = tupleJson(entity)
  // A string that is no tuple needs quotes, which are easily left out.
  return Array.isArray(name) && name.length === 1 ? [...ofKinds, name[0]!] : ofKinds
}

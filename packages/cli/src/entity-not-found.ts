import { encodeTuple, type RowStore } from '@keepsake/core'
import { CliError, notFoundError } from './cli-error.ts'
import { formatTupleText } from './tuple-text.ts'

/** Kinds of entities that core's models make: people tend to type only the name after it. */
const KINDS = ['owner', 'thread', 'subject']

/** Says that an entity has no rows, and which one may have been meant. */
export async function entityNotFound(store: RowStore, entity: string): Promise<CliError> {
  const name = formatTupleText(entity)
  for (const kind of KINDS) {
    const candidate = encodeTuple([kind]) + entity
    const found = await store.scan(candidate, { limit: 1 }).catch(() => [])
    if (found.length > 0)
      return notFoundError(`There is no entity ${name}. Did you mean ${formatTupleText(candidate)}?`)
  }
  return notFoundError(`There is no entity ${name}. See them all with: keepsake entities`)
}

import { encodeTuple } from '../rows/keys.ts'
import type { CallOptions, RowId } from '../rows/row-store.ts'
import type { SearchIndex } from '../search/search-index.ts'
import { segmentsOf } from './row-kind.ts'

/** What of a person is in search indexes. */
export interface IndexEntries {
  /** Takes entries of records out, before their rows go. `isWhole` says of whom nothing stays. */
  remove(rows: readonly RowId[], isWhole: (entity: string) => boolean): Promise<void>
  /**
   * Once nobody writes any more: takes out again what was taken out, for a writer may have put it in after its row had gone,
   * and empties what owners have of whom nothing stays, also what is there without its row.
   */
  finish(whole: Iterable<string>): Promise<void>
}

export function indexEntries(indexes: readonly SearchIndex[], call: CallOptions): IndexEntries {
  /** Ids by scope; none where all of the scope goes. */
  const removed = new Map<string, Set<string>>()

  async function removeAll(scope: string, ids: Iterable<string>): Promise<void> {
    // Without a version: with one an index keeps the id, which may name the person.
    const entries = Array.from(ids, (id) => ({ id }))
    for (const index of indexes) await index.remove(scope, entries, call)
  }

  return {
    async remove(rows, isWhole) {
      if (indexes.length === 0) return
      const ofRecords = rows.filter(({ entity, key }) => isOwner(entity) && segmentsOf(key).length > 0)
      for (const [scope, all] of Map.groupBy(ofRecords, scopeOf)) {
        const ids = all.map(({ key }) => key)
        await removeAll(scope, ids)
        const known = removed.get(scope) ?? new Set()
        removed.set(scope, known)
        if (!isWhole(all[0]!.entity)) for (const id of ids) known.add(id)
      }
    },
    async finish(whole) {
      if (indexes.length === 0) return
      for (const entity of whole) {
        if (!isOwner(entity)) continue
        const scopes = [...removed.keys()].filter((scope) => scope.startsWith(entity))
        for (const scope of new Set([entity + encodeTuple(['r']), ...scopes])) {
          for (const index of indexes) await index.clear(scope, call)
          removed.delete(scope)
        }
      }
      for (const [scope, ids] of removed) await removeAll(scope, ids)
    },
  }
}

const isOwner = (entity: string): boolean => segmentsOf(entity)[0] === 'owner'
/** As `records` name it: an owner's entity and the area. */
const scopeOf = ({ entity, key }: RowId): string => entity + encodeTuple([segmentsOf(key)[0]!])

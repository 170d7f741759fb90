import type { ScopeStatistics } from '@keepsake/core'

/** What is known of a scope's documents: counting them at every query would cost more than the query. */
export interface KnownScope {
  documents: number
  statistics: Omit<ScopeStatistics, 'passagesWith' | 'unrelated'>
  speakers: readonly string[]
}

/** Keeps what is known until it may be wrong by more than a hundredth: by own writes, or after so many queries by others'. */
export interface StatisticsCache {
  get(scope: string): KnownScope | undefined
  set(scope: string, known: KnownScope): void
  /** Documents of the scope were written. */
  written(scope: string, documents: readonly { speaker?: string }[]): void
  forget(scope?: string): void
}

const QUERIES = 50
const MOST_SCOPES = 10_000

export function statisticsCache(): StatisticsCache {
  const scopes = new Map<string, { known: KnownScope; queries: number; writes: number }>()
  return {
    get(scope) {
      const kept = scopes.get(scope)
      if (kept === undefined) return undefined
      if (++kept.queries <= QUERIES) return kept.known
      scopes.delete(scope)
      return undefined
    },
    set(scope, known) {
      if (scopes.size >= MOST_SCOPES) scopes.clear()
      scopes.set(scope, { known, queries: 0, writes: 0 })
    },
    written(scope, documents) {
      const kept = scopes.get(scope)
      if (kept === undefined) return
      kept.writes += documents.length
      const speaks = documents.some(({ speaker }) => speaker !== undefined && !kept.known.speakers.includes(speaker))
      if (speaks || kept.writes * 100 >= kept.known.documents) scopes.delete(scope)
    },
    forget(scope) {
      if (scope === undefined) scopes.clear()
      else scopes.delete(scope)
    },
  }
}

import { throwIfAborted } from '../errors.ts'
import type { Storable } from '../values/normalise.ts'
import { analyseDocument } from './analysed-document.ts'
import { analyseQuery } from './analysed-query.ts'
import { checkQuery, withRecency, type CheckedQuery } from './checked-query.ts'
import { createCorpus, type Corpus } from './corpus.ts'
import { clearScores, createScratch, rankByWords } from './rank.ts'
import type { SearchDocument, SearchHit, SearchIndex, VectorSpace } from './search-index.ts'
import { createAnalyser } from './terms.ts'
import { createTopHits, type TopHits } from './top-hits.ts'
import {
  checkSpace,
  checkVector,
  cosine,
  unitVector,
  unrelatedCosine,
  vectorScore,
  type UnitVector,
} from './vectors.ts'
import { weights } from './weights.ts'

/** What is kept of a document beside its words. */
interface Kept {
  seq: number | undefined
  value: Storable | undefined
  atMs: number | undefined
  vectors: readonly UnitVector[]
}

/** Removals that are remembered. What comes late comes within seconds. */
const MAX_REMOVED = 10_000

interface Scope {
  corpus: Corpus
  kept: Map<string, Kept>
  /** The versions by which ids were removed: what comes late stays out. */
  removed: Map<string, number>
  built: boolean
}

/**
 * A search index in this process: nothing to install, lost with the process, and seen by nobody else. Ranks by words
 * (docs/recall.md says how and how well) and, where documents have vectors, by both.
 *
 * A query takes time in proportion to how often its terms occur, with vectors also to how many there are. Values are kept
 * as they are given: do not change them.
 */
export function inProcessIndex(): SearchIndex {
  const analyser = createAnalyser()
  const scratch = createScratch()
  const scopes = new Map<string, Scope>()
  let space: VectorSpace | undefined

  function scopeOf(name: string): Scope {
    let scope = scopes.get(name)
    if (scope === undefined) {
      scope = { corpus: createCorpus(), kept: new Map(), removed: new Map(), built: false }
      scopes.set(name, scope)
    }
    return scope
  }

  function vectorsOf({ id, vectors = [] }: SearchDocument): UnitVector[] {
    if (space === undefined) return []
    const own = space
    return vectors.map((vector) => unitVector(checkVector(vector, own, `A vector of ${JSON.stringify(id)}`)))
  }

  /** Shows what matches to `top`. Looking at a document costs more than comparing numbers, so it comes last. */
  function rank({ corpus, kept }: Scope, query: CheckedQuery, top: TopHits): void {
    const { recency, vector } = query
    const words = rankByWords(corpus, analyseQuery(query.text, analyser), scratch)
    const show = (id: string, score: number): void => {
      const { atMs, value } = kept.get(id)!
      const total = score > 0 ? withRecency(score, atMs, recency) : 0
      if (total > 0 && total >= top.least() && query.accepts(id, value)) top.add(id, total)
    }
    try {
      const likeness = vector === undefined || space === undefined ? undefined : likenesses(kept, vector)
      for (const document of words.documents) {
        const score = words.scores[document]! / words.best
        if (likeness === undefined && recency === undefined && score < top.least()) continue
        const id = corpus.ids[document]!
        const more = likeness?.get(id) ?? 0
        likeness?.delete(id)
        show(id, score + more)
      }
      for (const [id, score] of likeness ?? []) show(id, score)
    } finally {
      clearScores(words)
    }
  }

  return {
    name: 'in-process',

    async provision({ signal } = {}) {
      throwIfAborted(signal)
    },

    async open(given, { signal } = {}) {
      throwIfAborted(signal)
      if (given === undefined) return
      if (space !== undefined) return checkSpace(space, given)
      // What was indexed without vectors is built again with them.
      scopes.clear()
      space = { ...given }
    },

    async space({ signal } = {}) {
      throwIfAborted(signal)
      return space && { ...space }
    },

    async index(name, documents, { signal } = {}) {
      throwIfAborted(signal)
      const checked = documents.map((document) => ({ document, vectors: vectorsOf(document) }))
      const { corpus, kept, removed } = scopeOf(name)
      for (const { document, vectors } of checked) {
        const { id, seq, value, atMs } = document
        const stored = kept.get(id)?.seq ?? removed.get(id)
        if (seq !== undefined && stored !== undefined && stored > seq) continue
        removed.delete(id)
        kept.set(id, { seq, value, atMs, vectors })
        corpus.add(analyseDocument(document, analyser))
      }
    },

    async remove(name, ids, { signal } = {}) {
      throwIfAborted(signal)
      const scope = scopeOf(name)
      for (const { id, seq } of ids) {
        const stored = scope.kept.get(id)?.seq
        if (seq !== undefined && stored !== undefined && stored > seq) continue
        scope.kept.delete(id)
        scope.corpus.remove(id)
        if (seq === undefined) continue
        scope.removed.set(id, seq)
        if (scope.removed.size > MAX_REMOVED) scope.removed.delete(scope.removed.keys().next().value!)
      }
    },

    async query(name, given, { signal } = {}) {
      throwIfAborted(signal)
      const query = checkQuery(given, space)
      const scope = scopes.get(name)
      if (scope === undefined) return []
      const top = createTopHits(query.limit)
      rank(scope, query, top)
      return top.sorted().map((hit): SearchHit => {
        const seq = scope.kept.get(hit.id)?.seq
        return { ...hit, ...(seq !== undefined && { seq }) }
      })
    },

    async versions(name, { signal } = {}) {
      throwIfAborted(signal)
      return new Map(Array.from(scopes.get(name)?.kept ?? [], ([id, { seq }]) => [id, seq]))
    },

    async isBuilt(name) {
      return scopes.get(name)?.built ?? false
    },

    async markBuilt(name) {
      scopeOf(name).built = true
    },

    async clear(name, { signal } = {}) {
      throwIfAborted(signal)
      scopes.delete(name)
    },

    async reset({ signal } = {}) {
      throwIfAborted(signal)
      scopes.clear()
      space = undefined
    },

    async close() {},
    async [Symbol.asyncDispose]() {},
  }
}

/** What its vectors add to the score of every document that has some. */
function likenesses(kept: ReadonlyMap<string, Kept>, vector: readonly number[]): Map<string, number> {
  const wanted = unitVector(vector)
  const nearest = new Map<string, number>()
  let sum = 0
  for (const [id, { vectors }] of kept) {
    if (vectors.length === 0) continue
    let most = -1
    for (const own of vectors) most = Math.max(most, cosine(wanted, own))
    nearest.set(id, most)
    sum += most
  }
  const unrelated = unrelatedCosine(sum, nearest.size)
  for (const [id, similarity] of nearest) nearest.set(id, weights.vector * vectorScore(similarity, unrelated))
  return nearest
}

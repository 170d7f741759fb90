import { analyseDocument, type AnalysedDocument } from './analysed-document.ts'
import { analyseQuery } from './analysed-query.ts'
import { checkQuery, withRecency } from './checked-query.ts'
import { createCorpus } from './corpus.ts'
import { clearScores, createScratch, namedSpeakers, rankByWords, type CorpusStatistics } from './rank.ts'
import type { SearchDocument, SearchHit, SearchQuery, VectorSpace } from './search-index.ts'
import { createAnalyser } from './terms.ts'
import { byRank } from './top-hits.ts'
import type { Storable } from '../values/normalise.ts'
import { vectorScore } from './vectors.ts'
import { weights } from './weights.ts'

/** A document that a database found, or that stands next to one in its session. */
export interface Candidate {
  document: AnalysedDocument
  seq?: number
  value?: Storable
  /** The cosine of its nearest vector with the query's. */
  similarity?: number
}

/** What is known of all documents of the scope. */
export interface ScopeStatistics extends CorpusStatistics {
  /** What `unrelatedCosine` says of all their cosines with the query's vector. Default 0. */
  unrelated?: number
}

/** A query, taken apart. */
export interface AskedQuery {
  /** What to look for: documents with any of these terms are candidates. */
  readonly terms: readonly string[]
  /** The best of the candidates, as the index in this process ranks them. */
  rank(candidates: readonly Candidate[], statistics: ScopeStatistics): SearchHit[]
}

/** For indexes in databases: the database finds candidates by terms that are made here, and they are ranked here. */
export interface SearchRanker {
  /** What to store of a document. */
  analyse(document: SearchDocument): AnalysedDocument
  /** `speakers` are those of the scope. Throws `invalid_value` for a query that cannot be asked. */
  ask(query: SearchQuery, speakers: readonly string[], space: VectorSpace | undefined): AskedQuery
}

export function createRanker(): SearchRanker {
  const analyser = createAnalyser()
  return {
    analyse: (document) => analyseDocument(document, analyser),

    ask(given, speakers, space) {
      const query = checkQuery(given, space)
      const analysed = analyseQuery(query.text, analyser)
      const { terms } = namedSpeakers(createCorpus(speakers), analysed)
      const wanted = new Set(terms)
      return {
        terms,
        rank(candidates, statistics) {
          const corpus = createCorpus(speakers)
          const byId = new Map<string, Candidate>()
          for (const candidate of candidates) {
            byId.set(candidate.document.id, candidate)
            corpus.add(candidate.document, wanted)
          }
          const words = rankByWords(corpus, analysed, createScratch(), statistics)
          const hits: SearchHit[] = []
          for (const [id, { document, seq, value, similarity }] of byId) {
            const index = corpus.find(id)!
            const byWords = words.best > 0 ? words.scores[index]! / words.best : 0
            const byVector = similarity === undefined ? 0 : vectorScore(similarity, statistics.unrelated ?? 0)
            const score = byWords + weights.vector * byVector
            if (score <= 0 || !query.accepts(id, value)) continue
            const total = withRecency(score, document.atMs, query.recency)
            if (total > 0) hits.push({ id, score: total, ...(seq !== undefined && { seq }) })
          }
          clearScores(words)
          return hits.toSorted(byRank).slice(0, query.limit)
        },
      }
    },
  }
}

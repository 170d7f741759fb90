import { KeepsakeError } from '../errors.ts'
import { compileFilter } from '../records/filter.ts'
import { checkLimit } from '../cursor.ts'
import { describeType } from '../rows/keys.ts'
import type { Storable } from '../values/normalise.ts'
import type { Recency, SearchQuery, VectorSpace } from './search-index.ts'
import { checkVector } from './vectors.ts'

/** A query whose parts are known to be usable. */
export interface CheckedQuery extends SearchQuery {
  /** Whether a document may be found. */
  accepts(id: string, value: Storable | undefined): boolean
}

/** Throws `invalid_value` for what an index with vectors of `space`, or without any, cannot look for. */
export function checkQuery(query: SearchQuery, space: VectorSpace | undefined): CheckedQuery {
  const { text, limit, prefix = '', filter, recency, vector } = query
  if (typeof text !== 'string')
    throw new KeepsakeError('invalid_value', `query must be a text; it is ${describeType(text)}.`)
  checkLimit(limit)
  if (recency !== undefined) checkRecency(recency)
  if (vector !== undefined && space !== undefined) checkVector(vector, space, 'The vector of the query')
  const holds = filter && compileFilter(filter)
  return {
    ...query,
    accepts: (id, value) => id.startsWith(prefix) && (holds === undefined || holds(value)),
  }
}

/** Throws `invalid_value`. */
export function checkRecency(recency: Omit<Recency, 'nowMs'>): void {
  if (typeof recency !== 'object' || recency === null) {
    throw new KeepsakeError(
      'invalid_value',
      `recency must be { weight, halfLifeMs, combine? }; it is ${describeType(recency)}.`,
    )
  }
  const { weight, halfLifeMs, combine = 'add' } = recency
  if (!(Number.isFinite(weight) && weight >= 0)) throw wrong('weight must be a number from 0')
  if (!(Number.isFinite(halfLifeMs) && halfLifeMs > 0)) throw wrong('halfLifeMs must be a number above 0')
  if (combine !== 'add' && combine !== 'multiply') throw wrong(`combine must be 'add' or 'multiply'`)
}

function wrong(what: string): KeepsakeError {
  return new KeepsakeError('invalid_value', `recency.${what}.`)
}

/** A score with what newness adds to it. What has no time gains nothing. */
export function withRecency(score: number, atMs: number | undefined, recency: Recency | undefined): number {
  if (recency === undefined) return score
  const newness = atMs === undefined ? 0 : 2 ** (-Math.max(0, recency.nowMs - atMs) / recency.halfLifeMs)
  return recency.combine === 'multiply'
    ? score * (1 - recency.weight + recency.weight * newness)
    : score + recency.weight * newness
}

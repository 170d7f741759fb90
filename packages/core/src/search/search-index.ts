import type { Filter } from '../records/filter.ts'
import type { CallOptions } from '../rows/row-store.ts'
import type { Storable } from '../values/normalise.ts'

/**
 * What a memory knows about itself beside its words. All of it is optional, and counts only where it is there. A speaker,
 * role or session of more than 500 characters is no name, and is taken for left out.
 */
export interface SearchContext {
  /** Who said it. A query that names this speaker finds their own words first. */
  speaker?: string
  /** `'user'` counts twice: what people say about themselves is what is asked for later. */
  role?: string
  /** The conversation, file or list that it is part of. Memories beside it there lend it their words. */
  session?: string
  /** Where in the session: any number that grows. Default: after what is there. */
  position?: number
  /** When it was, in Unix milliseconds. Queries that name a month, a year or a day find it (in UTC). */
  atMs?: number
}

/** A memory as an index takes it. */
export interface SearchDocument extends SearchContext {
  /** Unique in its scope. Indexing it again replaces it. */
  id: string
  text: string
  /** Its version: an older one never replaces a newer one, nor one that was removed by a newer one. Default: replaces. */
  seq?: number
  /** What filters look at. */
  value?: Storable
  /** One or more embeddings of it (a long text has several); the nearest counts. */
  vectors?: readonly (readonly number[])[]
}

/** A small additive preference for what is new. */
export interface Recency {
  /** What a memory of this moment gains, where the best match is 1. */
  weight: number
  /** The gain is half of it after so long, in milliseconds. */
  halfLifeMs: number
  /** The moment, in Unix milliseconds. */
  nowMs: number
  /** `'multiply'` scales the score by it instead, which is measured to bury what is old. Default `'add'`. */
  combine?: 'add' | 'multiply'
}

/** What to look for. */
export interface SearchQuery {
  /** Data, never syntax: no character means anything but itself. */
  text: string
  /** How many at most: a whole number from 1. */
  limit: number
  /** Only ids that begin with it. */
  prefix?: string
  /** Only documents whose `value` meets it. */
  filter?: Filter
  /** The embedding of the text, where the index has vectors. */
  vector?: readonly number[]
  recency?: Recency
}

export interface SearchHit {
  id: string
  /** Comparable within one answer: 1 is about the best match by words. Greater than 0. */
  score: number
  /** Of the document that was found, where it was indexed with one. */
  seq?: number
}

/** By which model an index's vectors were made. */
export interface VectorSpace {
  /** The model's id. */
  model: string
  /** Numbers in a vector. */
  dims: number
}

/**
 * A derived index of memories: for every scope (an owner's records) documents with ids, and a ranking of them by a query.
 * No scope ever sees another's. Several processes may use one that is in a database.
 *
 * An index may be behind what is stored, and is never the truth: `records` looks at the rows before it returns any.
 */
export interface SearchIndex extends AsyncDisposable {
  readonly name: string
  /** Makes the tables that it needs, where it needs some; with `down` it takes them away. */
  provision(options?: CallOptions & { down?: boolean }): Promise<void>
  /**
   * Makes it ready, and says by which model vectors are made. Throws `invalid_value`, naming both, if the index holds
   * vectors of another model or size; `unsupported` if it can hold none. Without a space it takes no vectors.
   */
  open(space?: VectorSpace, options?: CallOptions): Promise<void>
  /** By which model the vectors in it were made, if it holds any. */
  space(options?: CallOptions): Promise<VectorSpace | undefined>
  /** Adds documents, or replaces them. The last of equal ids counts. */
  index(scope: string, documents: readonly SearchDocument[], options?: CallOptions): Promise<void>
  /** Removes documents; with a `seq` only if theirs is not newer. */
  remove(scope: string, ids: readonly { id: string; seq?: number }[], options?: CallOptions): Promise<void>
  /** The best first, those of equal scores by id. Throws `invalid_value` for a filter with an unknown operator. */
  query(scope: string, query: SearchQuery, options?: CallOptions): Promise<SearchHit[]>
  /** The ids of a scope with their versions. For those who bring an index up to date. */
  versions(scope: string, options?: CallOptions): Promise<Map<string, number | undefined>>
  /** Whether all that was stored before the index was there is in it: `markBuilt` was called since it was emptied. */
  isBuilt(scope: string, options?: CallOptions): Promise<boolean>
  markBuilt(scope: string, options?: CallOptions): Promise<void>
  /** Empties a scope. */
  clear(scope: string, options?: CallOptions): Promise<void>
  /** Empties all of it, the model included. */
  reset(options?: CallOptions): Promise<void>
  /** The same as `[Symbol.asyncDispose]`. Never closes what it was passed. */
  close(): Promise<void>
}

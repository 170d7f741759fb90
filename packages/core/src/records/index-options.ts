import type { EmbeddingModelV4 } from '@ai-sdk/provider'
import { KeepsakeError } from '../errors.ts'
import { describeType } from '../rows/keys.ts'
import { inProcessIndex } from '../search/in-process-index.ts'
import type { SearchContext, SearchIndex } from '../search/search-index.ts'

/** How the records of an owner are searched. */
export interface RecordIndexOptions {
  /**
   * Where the index is. Default: a new one in this process, which reads all records once, when they are first searched,
   * and does not see what other processes write. Several owners may share one.
   */
  search?: SearchIndex
  /** Finds by meaning too: any embedding model of the AI SDK. Without one, by words. */
  embed?: EmbeddingModelV4
  /** Numbers in a vector of that model. Needed with `embed`, and checked with every vector. */
  dims?: number
  /** What of a value is searched, as dotted paths. Default: every text and number in it. */
  fields?: readonly string[]
  /**
   * Where a value says who said it, in which role, in which conversation, at which place in it and when, as dotted paths.
   * Default: at these names; without a place, records of a session stand in the order in which they were made. What is
   * there is no part of the searched text.
   */
  about?: { [name in keyof SearchContext]?: string }
}

/** The same, checked and complete. */
export interface RecordIndex {
  search: SearchIndex
  embedding: { model: EmbeddingModelV4; dims: number } | undefined
  fields: readonly string[] | undefined
  about: { [name in keyof SearchContext]-?: string }
}

const ABOUT: RecordIndex['about'] = {
  speaker: 'speaker',
  role: 'role',
  session: 'session',
  position: 'position',
  atMs: 'atMs',
}

/** Throws `invalid_value` for options that cannot be used. */
export function checkRecordIndex(given: SearchIndex | RecordIndexOptions): RecordIndex {
  if (typeof given !== 'object' || given === null) {
    throw wrong(`must be a search index, or { search?, embed?, dims?, fields?, about? }; it is ${describeType(given)}.`)
  }
  if (isSearchIndex(given)) return { search: given, embedding: undefined, fields: undefined, about: ABOUT }
  const { search = inProcessIndex(), embed, dims, fields, about = {} } = given
  if (!isSearchIndex(search)) throw wrong('search must be a search index, such as inProcessIndex().', '.')
  if (fields !== undefined) checkPaths(fields, 'index.fields')
  for (const [name, path] of Object.entries(about)) {
    if (!Object.hasOwn(ABOUT, name))
      throw wrong(`about.${name} is not known; there are ${Object.keys(ABOUT).join(', ')}.`, '.')
    if (typeof path !== 'string') throw wrong(`about.${name} must be a path, such as 'metadata.author'.`, '.')
  }
  return {
    search,
    embedding: embeddingOf(embed, dims),
    fields: fields === undefined ? undefined : [...fields],
    about: { ...ABOUT, ...about },
  }
}

/** Throws `invalid_value` unless these are dotted paths. */
export function checkPaths(paths: unknown, what: string): asserts paths is readonly string[] {
  if (Array.isArray(paths) && paths.every((path) => typeof path === 'string' && path !== '')) return
  throw new KeepsakeError('invalid_value', `${what} must be a list of paths, such as ['text', 'metadata.title'].`)
}

function embeddingOf(embed: unknown, dims: unknown): RecordIndex['embedding'] {
  if (embed === undefined) {
    if (dims !== undefined) throw wrong('dims means nothing without embed; leave it out.', '.')
    return undefined
  }
  const model = embed as EmbeddingModelV4
  if (typeof model !== 'object' || typeof model?.doEmbed !== 'function' || typeof model.modelId !== 'string')
    throw wrong(`embed must be an embedding model of the AI SDK; it is ${describeType(embed)}.`, '.')
  if (!Number.isSafeInteger(dims) || (dims as number) < 1)
    throw wrong(`dims must say how many numbers a vector of ${model.modelId} has: a whole number from 1.`, '.')
  return { model, dims: dims as number }
}

function isSearchIndex(given: object): given is SearchIndex {
  const { query, index, open } = given as Partial<SearchIndex>
  return [query, index, open].every((method) => typeof method === 'function')
}

function wrong(what: string, joint = ' '): KeepsakeError {
  return new KeepsakeError('invalid_value', `index${joint}${what}`)
}

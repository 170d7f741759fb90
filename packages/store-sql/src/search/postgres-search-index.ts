import {
  checkSpace,
  checkVector,
  createRanker,
  KeepsakeError,
  throwIfAborted,
  type CallOptions,
  type SearchIndex,
  type VectorSpace,
} from '@keepsake/core'
import { createCalls } from './calls.ts'
import { postgresDocuments } from './postgres-documents.ts'
import { checkPostgresSearchOptions, type PostgresSearchOptions } from './postgres-search-client.ts'
import { createSearchTables, dropSearchTables, searchTableNames } from './postgres-search-tables.ts'
import { checkSearchFormat, noSearchIndex } from './search-format.ts'
import { statisticsCache, type KnownScope } from './statistics-cache.ts'

/**
 * A search index in PostgreSQL 12 or newer, by `tsvector` and, with `vectors: true`, pgvector: it stays, and many
 * processes share it. PostgreSQL finds the candidates and they are ranked as the index in this process ranks.
 *
 * A query is two round trips, three with a vector. Vectors are compared one by one, exactly. Tables are never made by use:
 * that takes `provision()`. Throws `invalid_value` for options that cannot be used; connects when it is first used.
 */
export function postgresSearchIndex(options: PostgresSearchOptions): SearchIndex {
  const settings = checkPostgresSearchOptions(options)
  const { table, schema, vectors, query: run } = settings
  const tables = searchTableNames(schema, table)
  const { documents, scopes, space: spaces } = tables
  const kept = postgresDocuments(settings, tables)
  const ranker = createRanker()
  const cache = statisticsCache()
  const scopeIds = new Map<string, string>()
  const calls = createCalls(WHERE)
  let space: VectorSpace | undefined

  function call<T>(o: CallOptions | undefined, work: () => Promise<T>): Promise<T> {
    calls.begin(o)
    return calls.underWay(work())
  }

  async function scopeId(scope: string): Promise<string> {
    const known = scopeIds.get(scope)
    if (known !== undefined) return known
    const found = await kept.scopeId(scope)
    if (scopeIds.size >= MOST_SCOPES) scopeIds.clear()
    scopeIds.set(scope, found)
    return found
  }

  async function factsOf(scope: string, id: string): Promise<KnownScope> {
    const there = cache.get(scope)
    if (there !== undefined) return there
    const found = await kept.known(id)
    cache.set(scope, found)
    return found
  }

  async function storedSpace(): Promise<VectorSpace | undefined> {
    const [stored] = await run<{ format: number; model: string | null; dims: number | null }>(
      `SELECT format, model, dims FROM ${spaces}`,
    )
    if (stored === undefined) throw noSearchIndex(WHERE, table)
    checkSearchFormat(stored.format, WHERE, table)
    return stored.model === null ? undefined : { model: stored.model, dims: Number(stored.dims) }
  }

  function forget(): void {
    cache.forget()
    scopeIds.clear()
  }

  async function empty(given?: VectorSpace): Promise<void> {
    forget()
    await run(
      `WITH gone AS (DELETE FROM ${documents}), unbuilt AS (UPDATE ${scopes} SET built = FALSE) UPDATE ${spaces} SET model = $1, dims = $2`,
      given?.model ?? null,
      given?.dims ?? null,
    )
  }

  return {
    name: 'postgres',

    async provision({ down = false, ...o } = {}) {
      await call(o, async () => {
        forget()
        await run(down ? dropSearchTables(tables) : createSearchTables(schema, table, tables, vectors))
      })
    },

    async space(o) {
      return call(o, storedSpace)
    },

    async open(given, o) {
      await call(o, async () => {
        const stored = await storedSpace()
        if (given === undefined) return
        if (!vectors) {
          throw new KeepsakeError(
            'unsupported',
            `The search index ${table} was opened without vectors. Pass vectors: true, which needs the extension pgvector in the database.`,
          )
        }
        if (stored !== undefined) checkSpace(stored, given)
        // What was indexed without vectors is built again with them.
        else await empty(given)
        space = { ...given }
      })
    },

    async index(scope, given, o) {
      const own = space
      const checked = given.map((document) => {
        const { vectors: embedded = [], ...rest } = document
        if (own === undefined) return { document: rest, analysed: ranker.analyse(document) }
        for (const vector of embedded) checkVector(vector, own, `A vector of ${JSON.stringify(document.id)}`)
        return { document, analysed: ranker.analyse(document) }
      })
      await call(o, async () => kept.put(await scopeId(scope), checked))
      cache.written(scope, given)
    },

    async remove(scope, ids, o) {
      await call(o, async () => kept.remove(await scopeId(scope), ids))
    },

    async query(scope, query, o) {
      // Refused before anything is asked.
      ranker.ask(query, [], space)
      return call(o, async () => {
        const id = await scopeId(scope)
        const facts = await factsOf(scope, id)
        throwIfAborted(o?.signal)
        const { vector, ...words } = query
        const usable = space === undefined || vector === undefined ? words : query
        return kept.find(id, ranker.ask(usable, facts.speakers, space), usable, facts)
      })
    },

    versions: (scope, o) => call(o, async () => kept.versions(await scopeId(scope))),

    async isBuilt(scope, o) {
      return call(o, async () => {
        const [found] = await run<{ built: boolean }>(
          `SELECT built FROM ${scopes} WHERE scope_id = $1`,
          await scopeId(scope),
        )
        return found?.built ?? false
      })
    },

    async markBuilt(scope, o) {
      await call(o, async () => {
        const id = await scopeId(scope)
        await run(
          `WITH gone AS (DELETE FROM ${documents} WHERE scope_id = $1 AND removed) UPDATE ${scopes} SET built = TRUE WHERE scope_id = $1`,
          id,
        )
      })
    },

    async clear(scope, o) {
      await call(o, async () => {
        const id = await scopeId(scope)
        await run(
          `WITH gone AS (DELETE FROM ${documents} WHERE scope_id = $1) UPDATE ${scopes} SET built = FALSE WHERE scope_id = $1`,
          id,
        )
        cache.forget(scope)
      })
    },

    async reset(o) {
      await call(o, () => empty())
      space = undefined
    },

    close: () => calls.close(() => settings.close()),
    [Symbol.asyncDispose]: () => calls.close(() => settings.close()),
  }
}

const WHERE = 'The PostgreSQL database'
const MOST_SCOPES = 10_000

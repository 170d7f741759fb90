import type { DatabaseSync } from 'node:sqlite'
import {
  checkSpace,
  checkVector,
  createRanker,
  type CallOptions,
  type SearchIndex,
  type VectorSpace,
} from '@keepsake/core'
import { createCalls } from './calls.ts'
import { toKeepsakeError } from '../sqlite-errors.ts'
import { whenUnlocked } from '../sqlite-lock.ts'
import { checkSqliteOptions, type SqliteStoreOptions } from '../sqlite-options.ts'
import { inTransaction } from '../sqlite-transaction.ts'
import { selectValue } from '../sqlite-value.ts'
import { DEFAULT_SEARCH_TABLE } from './search-format.ts'
import { sqliteDocuments, type SqliteDocuments } from './sqlite-documents.ts'
import { checkSearchTables, dropSearchTables, searchTables } from './sqlite-search-tables.ts'
import { statisticsCache } from './statistics-cache.ts'

/**
 * A search index in a SQLite database, by FTS5: it stays, many processes share it, and nothing of it is held in memory.
 * FTS5 finds the candidates and they are ranked as the index in this process ranks. Vectors are compared one by one: some
 * 16 ms for every 10,000 documents of a scope with 384 numbers each.
 *
 * Options are those of `sqliteStore`; `table` is `keepsake_search` by default, and the file may be the store's own. Tables
 * are made when it is first used, unless `provision` is `false`. Throws `invalid_value` for options that cannot be used.
 */
export function sqliteSearchIndex(options: SqliteStoreOptions): SearchIndex {
  const { client, table, provision } = checkSqliteOptions({ table: DEFAULT_SEARCH_TABLE, ...options })
  const { where } = client
  const calls = createCalls(where)
  const ranker = createRanker()
  const cache = statisticsCache()
  let opening: Promise<DatabaseSync> | undefined
  let documents: SqliteDocuments | undefined
  let space: VectorSpace | undefined

  function database(): Promise<DatabaseSync> {
    opening ??= client.open().catch((error: unknown) => {
      opening = undefined
      throw error
    })
    return opening
  }

  async function on<T>(o: CallOptions | undefined, work: (database: DatabaseSync) => T): Promise<T> {
    calls.begin(o)
    const call = async (): Promise<T> => {
      const opened = await database()
      return whenUnlocked(() => work(opened), client.busyTimeoutMs, o?.signal)
    }
    try {
      return await calls.underWay(call())
    } catch (error) {
      throw toKeepsakeError(error, where)
    }
  }

  /** Work on documents. Tables are looked at once. */
  function onDocuments<T>(o: CallOptions | undefined, work: (documents: SqliteDocuments) => T): Promise<T> {
    return on(o, (opened) => work(ready(opened)))
  }

  function ready(opened: DatabaseSync): SqliteDocuments {
    if (documents !== undefined) return documents
    if (provision) create(opened)
    checkSearchTables(opened, table, where)
    documents = sqliteDocuments(opened, table)
    return documents
  }

  function create(opened: DatabaseSync): void {
    if (selectValue(opened, 'SELECT count(*) FROM sqlite_schema WHERE name = ?', `${table}_space`) !== 0) return
    inTransaction(opened, () => {
      for (const sql of searchTables(table)) opened.exec(sql)
    })
  }

  function empty(opened: DatabaseSync): void {
    opened.exec(`INSERT INTO "${table}_terms" ("${table}_terms") VALUES ('delete-all')`)
    opened.exec(`DELETE FROM "${table}"; UPDATE "${table}_scopes" SET built = 0`)
    cache.forget()
  }

  function storedSpace(opened: DatabaseSync): VectorSpace | undefined {
    const model = selectValue(opened, `SELECT model FROM "${table}_space"`)
    const dims = selectValue(opened, `SELECT dims FROM "${table}_space"`)
    return typeof model === 'string' ? { model, dims: Number(dims) } : undefined
  }

  return {
    name: 'sqlite',

    async provision({ down = false, ...o } = {}) {
      await on(o, (opened) => {
        documents = undefined
        cache.forget()
        if (!down) return create(opened)
        inTransaction(opened, () => {
          for (const sql of dropSearchTables(table)) opened.exec(sql)
        })
      })
    },

    async open(given, o) {
      await on(o, (opened) => {
        ready(opened)
        if (given === undefined) return
        inTransaction(opened, () => {
          const stored = storedSpace(opened)
          if (stored !== undefined) return checkSpace(stored, given)
          // What was indexed without vectors is built again with them.
          empty(opened)
          opened.prepare(`UPDATE "${table}_space" SET model = ?, dims = ?`).run(given.model, given.dims)
        })
        space = { ...given }
      })
    },

    async space(o) {
      return on(o, (opened) => {
        ready(opened)
        return storedSpace(opened)
      })
    },

    async index(scope, given, o) {
      const own = space
      const checked = given.map((document) => {
        const { vectors = [], ...rest } = document
        if (own === undefined) return { document: rest, analysed: ranker.analyse(document) }
        for (const vector of vectors) checkVector(vector, own, `A vector of ${JSON.stringify(document.id)}`)
        return { document, analysed: ranker.analyse(document) }
      })
      await on(o, (opened) => {
        const kept = ready(opened)
        inTransaction(opened, () => {
          const scopeId = kept.scopeId(scope, true)!
          for (const { document, analysed } of checked) kept.put(scopeId, document, analysed)
        })
      })
      cache.written(scope, given)
    },

    async remove(scope, ids, o) {
      await on(o, (opened) => {
        const kept = ready(opened)
        inTransaction(opened, () => {
          const scopeId = kept.scopeId(scope, true)!
          for (const { id, seq } of ids) kept.remove(scopeId, id, seq)
        })
      })
    },

    async query(scope, query, o) {
      return onDocuments(o, (kept) => {
        const scopeId = kept.scopeId(scope, false)
        let known = scopeId === undefined ? undefined : cache.get(scope)
        if (scopeId !== undefined && known === undefined) {
          known = kept.known(scopeId)
          cache.set(scope, known)
        }
        const asked = ranker.ask(query, known?.speakers ?? [], space)
        if (scopeId === undefined || known === undefined) return []
        const { vector, ...words } = query
        return kept.find(scopeId, asked, space === undefined || vector === undefined ? words : query, known)
      })
    },

    async versions(scope, o) {
      return onDocuments(o, (kept) => {
        const scopeId = kept.scopeId(scope, false)
        return scopeId === undefined ? new Map() : kept.versions(scopeId)
      })
    },

    async isBuilt(scope, o) {
      return onDocuments(o, (kept) => {
        const scopeId = kept.scopeId(scope, false)
        return scopeId !== undefined && kept.isBuilt(scopeId)
      })
    },

    async markBuilt(scope, o) {
      await onDocuments(o, (kept) => kept.markBuilt(kept.scopeId(scope, true)!))
    },

    async clear(scope, o) {
      cache.forget(scope)
      await on(o, (opened) => {
        const kept = ready(opened)
        inTransaction(opened, () => {
          const scopeId = kept.scopeId(scope, false)
          if (scopeId !== undefined) kept.clear(scopeId)
        })
      })
    },

    async reset(o) {
      await on(o, (opened) => {
        ready(opened)
        inTransaction(opened, () => {
          empty(opened)
          opened.exec(`UPDATE "${table}_space" SET model = NULL, dims = NULL`)
        })
        space = undefined
      })
    },

    close,
    [Symbol.asyncDispose]: close,
  }

  function close(): Promise<void> {
    return calls.close(async () => {
      const opened = await opening?.catch(() => {})
      if (opened !== undefined) client.close(opened)
    })
  }
}

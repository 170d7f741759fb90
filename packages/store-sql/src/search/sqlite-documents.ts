import { hash } from 'node:crypto'
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import {
  prefixEnd,
  unrelatedCosine,
  type AnalysedDocument,
  type AskedQuery,
  type SearchDocument,
  type SearchHit,
  type SearchQuery,
} from '@keepsake/core'
import { toCandidate, toSearchRow, type SearchRow } from './search-row.ts'
import type { KnownScope } from './statistics-cache.ts'
import { nearest, unit, vectorBytes } from './vector-bytes.ts'

/** The statements of an index, on a database whose tables are there. */
export interface SqliteDocuments {
  scopeId(scope: string, create: boolean): number | undefined
  put(scopeId: number, document: SearchDocument, analysed: AnalysedDocument): void
  remove(scopeId: number, id: string, seq: number | undefined): void
  known(scopeId: number): KnownScope
  find(scopeId: number, asked: AskedQuery, query: SearchQuery, known: KnownScope): SearchHit[]
  versions(scopeId: number): Map<string, number | undefined>
  isBuilt(scopeId: number): boolean
  markBuilt(scopeId: number): void
  clear(scopeId: number): void
}

type Values = SQLInputValue[]
type StoredRow = SearchRow & { document: number; seq: number | null; vectors: Uint8Array | null }

/** Candidates at first, and how many times more when a filter leaves too few. */
const LEAST_CANDIDATES = 200
const MORE = 4
/** What a neighbour of a match may be away from it, each way. */
const NEIGHBOURS = 2
const MOST_SPEAKERS = 10_000

export function sqliteDocuments(database: DatabaseSync, table: string): SqliteDocuments {
  const prepared = new Map<string, StatementSync>()
  const statement = (sql: string): StatementSync => {
    let found = prepared.get(sql)
    if (found === undefined) prepared.set(sql, (found = database.prepare(sql)))
    return found
  }
  const run = (sql: string, ...values: Values): void => void statement(sql).run(...values)
  const rows = <T>(sql: string, ...values: Values): T[] => statement(sql).all(...values) as T[]
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- says which columns the statement has
  const row = <T>(sql: string, ...values: Values): T | undefined => statement(sql).get(...values) as T | undefined

  const columns =
    'document, id, seq, session, position, passages, length, speaker, role, at_ms AS atMs, flags, terms, vectors'

  const stored = (scopeId: number, id: string) =>
    row<{ document: number; seq: number | null }>(
      `SELECT document, seq FROM "${table}" WHERE scope_id = ? AND id = ?`,
      scopeId,
      id,
    )

  function drop(document: number): void {
    run(`DELETE FROM "${table}_terms" WHERE rowid = ?`, document)
    run(`DELETE FROM "${table}" WHERE document = ?`, document)
  }

  const documents: SqliteDocuments = {
    scopeId(scope, create) {
      const select = `SELECT scope_id AS scopeId FROM "${table}_scopes" WHERE scope = ?`
      // Its number outlives what is in it: a hash does not name the person.
      const hashed = hash('sha256', scope)
      if (create) run(`INSERT OR IGNORE INTO "${table}_scopes" (scope) VALUES (?)`, hashed)
      return row<{ scopeId: number }>(select, hashed)?.scopeId
    },

    put(scopeId, document, analysed) {
      const { seq = null, vectors = [] } = document
      const before = stored(scopeId, document.id)
      if (before !== undefined) {
        if (seq !== null && before.seq !== null && before.seq > seq) return
        drop(before.document)
      }
      const one = toSearchRow(document, analysed)
      const last = `SELECT max(position) + 1 AS next FROM "${table}" WHERE scope_id = ? AND removed = 0 AND session = ?`
      const position = one.position ?? row<{ next: number | null }>(last, scopeId, one.session)?.next ?? 0
      const { lastInsertRowid } = statement(
        `INSERT INTO "${table}" (scope_id, id, seq, session, position, passages, length, speaker, role, at_ms, flags, terms, value, vectors) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ).run(
        scopeId,
        one.id,
        seq,
        one.session,
        position,
        one.passages,
        one.length,
        one.speaker,
        one.role,
        one.atMs,
        one.flags,
        one.terms,
        one.value,
        vectorBytes(vectors),
      )
      const terms = analysed.passages.flat().map((term) => token(scopeId, term))
      if (terms.length === 0) return
      run(`INSERT INTO "${table}_terms" (rowid, terms) VALUES (?, ?)`, lastInsertRowid, terms.join(' '))
    },

    remove(scopeId, id, seq) {
      const before = stored(scopeId, id)
      if (before !== undefined) {
        if (seq !== undefined && before.seq !== null && before.seq > seq) return
        drop(before.document)
      }
      if (seq === undefined) return
      run(`INSERT INTO "${table}" (scope_id, id, seq, removed) VALUES (?, ?, ?, 1)`, scopeId, id, seq)
    },

    known(scopeId) {
      const counts = row<{ documents: number; passages: number; terms: number; sessions: number }>(
        `SELECT count(*) AS documents, coalesce(sum(passages), 0) AS passages, coalesce(sum(length), 0) AS terms, count(DISTINCT session) AS sessions FROM "${table}" WHERE scope_id = ? AND removed = 0`,
        scopeId,
      )!
      const speakers = rows<{ speaker: string }>(
        `SELECT DISTINCT speaker FROM "${table}" WHERE scope_id = ? AND removed = 0 AND speaker IS NOT NULL LIMIT ${MOST_SPEAKERS}`,
        scopeId,
      )
      const { documents: count, passages, terms, sessions } = counts
      return {
        documents: count,
        statistics: { passages, sessions, meanTerms: Math.max(1, terms / Math.max(1, passages)) },
        speakers: speakers.map(({ speaker }) => speaker),
      }
    },

    find(scopeId, asked, query, { statistics }) {
      const counts = new Map(
        asked.terms.map((term) => [
          term,
          row<{ count: number }>(`SELECT doc AS count FROM "${table}_words" WHERE term = ?`, token(scopeId, term))
            ?.count ?? 0,
        ]),
      )
      const likeness = likenesses(scopeId, query)
      for (let most = Math.max(LEAST_CANDIDATES, MORE * query.limit); ; most *= MORE) {
        const matches = matching(scopeId, asked, query, most)
        const near = likeness === undefined ? [] : likeness.order.slice(0, most)
        const all = new Set([...matches, ...near])
        for (const document of neighbours(scopeId, matches)) all.add(document)
        const candidates = load([...all], query.filter !== undefined).map((one) =>
          toCandidate({ ...one, similarity: likeness?.cosines.get(one.document) ?? null }),
        )
        const hits = asked.rank(candidates, {
          ...statistics,
          passagesWith: (term) => counts.get(term) ?? 0,
          unrelated: likeness?.unrelated ?? 0,
        })
        if (hits.length === query.limit || (matches.length < most && near.length < most)) return hits
      }
    },

    versions(scopeId) {
      const found = rows<{ id: string; seq: number | null }>(
        `SELECT id, seq FROM "${table}" WHERE scope_id = ? AND removed = 0`,
        scopeId,
      )
      return new Map(found.map(({ id, seq }) => [id, seq ?? undefined]))
    },

    isBuilt: (scopeId) =>
      row<{ built: number }>(`SELECT built FROM "${table}_scopes" WHERE scope_id = ?`, scopeId)?.built === 1,

    markBuilt(scopeId) {
      run(`UPDATE "${table}_scopes" SET built = 1 WHERE scope_id = ?`, scopeId)
      run(`DELETE FROM "${table}" WHERE scope_id = ? AND removed = 1`, scopeId)
    },

    clear(scopeId) {
      run(`UPDATE "${table}_scopes" SET built = 0 WHERE scope_id = ?`, scopeId)
      run(`DELETE FROM "${table}_terms" WHERE rowid IN (SELECT document FROM "${table}" WHERE scope_id = ?)`, scopeId)
      run(`DELETE FROM "${table}" WHERE scope_id = ?`, scopeId)
    },
  }
  return documents

  /** Documents with any of the terms, the best by FTS5's own ranking. */
  function matching(scopeId: number, { terms }: AskedQuery, { prefix = '' }: SearchQuery, most: number): number[] {
    if (terms.length === 0) return []
    const match = terms.map((term) => `"${token(scopeId, term)}"`).join(' OR ')
    const found =
      prefix === ''
        ? rows<{ document: number }>(
            `SELECT rowid AS document FROM "${table}_terms" WHERE "${table}_terms" MATCH ? ORDER BY rank LIMIT ?`,
            match,
            most,
          )
        : rows<{ document: number }>(
            `SELECT f.rowid AS document FROM "${table}_terms" f JOIN "${table}" d ON d.document = f.rowid WHERE "${table}_terms" MATCH ?1 AND d.id >= ?2 AND (?3 IS NULL OR d.id < ?3) ORDER BY f.rank LIMIT ?4`,
            match,
            prefix,
            prefixEnd(prefix) ?? null,
            most,
          )
    return found.map(({ document }) => document)
  }

  function neighbours(scopeId: number, matches: readonly number[]): number[] {
    const side = (compare: string, order: string): string =>
      `SELECT document FROM "${table}" WHERE scope_id = ? AND removed = 0 AND session = ? AND (position, document) ${compare} (?, ?) ORDER BY position ${order}, document ${order} LIMIT ${NEIGHBOURS}`
    const found: number[] = []
    const places = rows<{ document: number; session: string; position: number }>(
      `SELECT document, session, position FROM "${table}" WHERE session IS NOT NULL AND document IN (SELECT value FROM json_each(?))`,
      JSON.stringify(matches),
    )
    for (const { document, session, position } of places) {
      for (const sql of [side('<', 'DESC'), side('>', 'ASC')]) {
        for (const next of rows<{ document: number }>(sql, scopeId, session, position, document))
          found.push(next.document)
      }
    }
    return found
  }

  /** By document, so that those that were indexed earlier come first where they share a position. */
  function load(wanted: readonly number[], withValues: boolean): StoredRow[] {
    const value = withValues ? 'value' : 'NULL AS value'
    return rows<StoredRow>(
      `SELECT ${columns.replace(', vectors', '')}, ${value} FROM "${table}" WHERE document IN (SELECT value FROM json_each(?)) ORDER BY document`,
      JSON.stringify(wanted),
    )
  }

  /** Of all documents with vectors below the prefix: their cosines, and who comes first. */
  function likenesses(scopeId: number, { vector, prefix = '' }: SearchQuery) {
    if (vector === undefined) return undefined
    const wanted = Float32Array.from(unit(vector))
    const cosines = new Map<number, number>()
    let sum = 0
    const all = statement(
      `SELECT document, id, vectors FROM "${table}" WHERE scope_id = ? AND removed = 0 AND vectors IS NOT NULL`,
    ).iterate(scopeId) as Iterable<{ document: number; id: string; vectors: Uint8Array }>
    let count = 0
    for (const { document, id, vectors } of all) {
      const cosine = nearest(wanted, vectors)
      sum += cosine
      count++
      if (id.startsWith(prefix)) cosines.set(document, cosine)
    }
    const order = [...cosines].toSorted(([, a], [, b]) => b - a).map(([document]) => document)
    return { cosines, order, unrelated: unrelatedCosine(sum, count) }
  }
}

/** Every term carries the number of its scope, so that nothing of another scope is ever looked at. */
function token(scopeId: number, term: string): string {
  return `${scopeId}x${term}`
}

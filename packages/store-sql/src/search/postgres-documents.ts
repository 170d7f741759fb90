import {
  prefixEnd,
  unrelatedCosine,
  type AnalysedDocument,
  type AskedQuery,
  type SearchDocument,
  type SearchHit,
  type SearchQuery,
} from '@keepsake/core'
import type { PostgresSearchSettings } from './postgres-search-client.ts'
import type { SearchTables } from './postgres-search-tables.ts'
import { toCandidate, toSearchRow, type SearchRow } from './search-row.ts'
import type { KnownScope } from './statistics-cache.ts'
import { unit } from './vector-bytes.ts'

/** The statements of an index, on a database whose tables are there. */
export interface PostgresDocuments {
  scopeId(scope: string): Promise<string>
  put(scopeId: string, documents: readonly { document: SearchDocument; analysed: AnalysedDocument }[]): Promise<void>
  remove(scopeId: string, ids: readonly { id: string; seq?: number }[]): Promise<void>
  known(scopeId: string): Promise<KnownScope>
  find(scopeId: string, asked: AskedQuery, query: SearchQuery, known: KnownScope): Promise<SearchHit[]>
  versions(scopeId: string): Promise<Map<string, number | undefined>>
}

/** Candidates at first, and how many times more when a filter leaves too few. */
const LEAST_CANDIDATES = 300
const MORE = 4
const NEIGHBOURS = 2
const MOST_SPEAKERS = 10_000
/** A `tsvector` takes a byte less than a MiB of lexemes. */
const MOST_LEXEME_BYTES = 1_000_000

export function postgresDocuments(
  { query: run, vectors: hasVectors }: Pick<PostgresSearchSettings, 'query' | 'vectors'>,
  tables: SearchTables,
): PostgresDocuments {
  const { documents, scopes } = tables
  const columns = `document::float8 AS document, id, seq::float8 AS seq, session, position, passages, length, speaker, role, at_ms AS "atMs", flags, terms`

  /** Positions for those that say none: after what is in their session. */
  async function place(scopeId: string, rows: readonly SearchRow[]): Promise<void> {
    const sessions = new Set(
      rows.flatMap(({ session, position }) => (session !== null && position === null ? session : [])),
    )
    if (sessions.size === 0) return
    const found = await run<{ session: string; last: number }>(
      `SELECT session, max(position) AS last FROM ${documents} WHERE scope_id = $1 AND NOT removed AND session = ANY($2::text[]) GROUP BY session`,
      scopeId,
      [...sessions],
    )
    const last = new Map(found.map((one) => [one.session, one.last]))
    for (const row of rows) {
      if (row.session === null) continue
      row.position ??= (last.get(row.session) ?? -1) + 1
      last.set(row.session, Math.max(row.position, last.get(row.session) ?? row.position))
    }
  }

  return {
    async scopeId(scope) {
      // Its number outlives what is in it: a hash does not name the person.
      const hashed = `encode(sha256(convert_to($1, 'UTF8')), 'hex')`
      const select = `SELECT scope_id::text AS "scopeId" FROM ${scopes} WHERE scope = ${hashed}`
      const [found] = await run<{ scopeId: string }>(select, scope)
      if (found !== undefined) return found.scopeId
      await run(`INSERT INTO ${scopes} (scope) VALUES (${hashed}) ON CONFLICT DO NOTHING`, scope)
      const [made] = await run<{ scopeId: string }>(select, scope)
      return made!.scopeId
    },

    async put(scopeId, given) {
      const rows = new Map<string, SearchRow & { seq: number | null; lexemes: string[]; vectors: string[] | null }>()
      for (const { document, analysed } of given) {
        const { seq = null, vectors = [] } = document
        const before = rows.get(document.id)
        if (seq !== null && before !== undefined && before.seq !== null && before.seq > seq) continue
        const lexemes = lexemesOf(scopeId, analysed)
        const shown = vectors
          .filter((vector) => vector.some((number) => number !== 0))
          .map((vector) => vectorText(vector))
        rows.delete(document.id)
        rows.set(document.id, {
          ...toSearchRow(document, analysed),
          seq,
          lexemes,
          vectors: shown.length === 0 ? null : shown,
        })
      }
      if (rows.size === 0) return
      await place(scopeId, [...rows.values()])
      const json = JSON.stringify(
        Array.from(rows.values(), (row) => ({ ...row, value: row.value && base64(row.value) })),
      )
      const extra = hasVectors
        ? {
            names: ', vectors',
            values: `, CASE WHEN jsonb_typeof(d->'vectors') = 'array' THEN ARRAY(SELECT jsonb_array_elements_text(d->'vectors'))::vector[] END`,
            update: ', vectors = excluded.vectors',
          }
        : { names: '', values: '', update: '' }
      // Everybody locks rows in the order of ids: two who write the same ones in different orders would wait for each other.
      await run(
        `INSERT INTO ${documents} AS t (scope_id, id, seq, session, position, passages, length, speaker, role, at_ms, flags, terms, lexemes, value${extra.names})
SELECT $1, d->>'id', (d->>'seq')::bigint, d->>'session', (d->>'position')::float8, (d->>'passages')::int, (d->>'length')::int, d->>'speaker', d->>'role', (d->>'atMs')::float8, (d->>'flags')::int, d->>'terms', array_to_tsvector(ARRAY(SELECT jsonb_array_elements_text(d->'lexemes'))), decode(d->>'value', 'base64')${extra.values}
FROM jsonb_array_elements($2::jsonb) AS given(d) ORDER BY d->>'id'
ON CONFLICT (scope_id, id) DO UPDATE SET seq = excluded.seq, removed = FALSE, session = excluded.session, position = excluded.position, passages = excluded.passages, length = excluded.length, speaker = excluded.speaker, role = excluded.role, at_ms = excluded.at_ms, flags = excluded.flags, terms = excluded.terms, lexemes = excluded.lexemes, value = excluded.value${extra.update}
WHERE t.seq IS NULL OR excluded.seq IS NULL OR t.seq <= excluded.seq`,
        scopeId,
        json,
      )
    },

    async remove(scopeId, ids) {
      const whole = ids.filter(({ seq }) => seq === undefined).map(({ id }) => id)
      if (whole.length > 0)
        await run(`DELETE FROM ${documents} WHERE scope_id = $1 AND id = ANY($2::text[])`, scopeId, whole)
      const marked = new Map<string, number>()
      for (const { id, seq } of ids) if (seq !== undefined) marked.set(id, Math.max(seq, marked.get(id) ?? 0))
      if (marked.size === 0) return
      await run(
        `INSERT INTO ${documents} AS t (scope_id, id, seq, removed) SELECT $1, id, seq, TRUE FROM unnest($2::text[], $3::bigint[]) AS gone(id, seq) ORDER BY id
ON CONFLICT (scope_id, id) DO UPDATE SET seq = excluded.seq, removed = TRUE, session = NULL, position = NULL, passages = 0, length = 0, speaker = NULL, role = NULL, at_ms = NULL, terms = '', lexemes = '', value = NULL${hasVectors ? ', vectors = NULL' : ''}
WHERE t.seq IS NULL OR t.seq <= excluded.seq`,
        scopeId,
        [...marked.keys()],
        [...marked.values()].map(String),
      )
    },

    async known(scopeId) {
      const [counts] = await run<{
        documents: number
        passages: number
        terms: number
        sessions: number
        speakers: string[]
      }>(
        `SELECT count(*)::float8 AS documents, coalesce(sum(passages), 0)::float8 AS passages, coalesce(sum(length), 0)::float8 AS terms, count(DISTINCT session)::float8 AS sessions, coalesce((array_agg(DISTINCT speaker) FILTER (WHERE speaker IS NOT NULL))[1:${MOST_SPEAKERS}], '{}') AS speakers FROM ${documents} WHERE scope_id = $1 AND NOT removed`,
        scopeId,
      )
      const { documents: count, passages, terms, sessions, speakers } = counts!
      return {
        documents: count,
        statistics: { passages, sessions, meanTerms: Math.max(1, terms / Math.max(1, passages)) },
        speakers,
      }
    },

    async find(scopeId, asked, query, { statistics }) {
      const vector = query.vector?.some((number) => number !== 0) ? vectorText(query.vector) : undefined
      for (let most = Math.max(LEAST_CANDIDATES, MORE * query.limit); ; most *= MORE) {
        const [words, near] = [
          await matching(scopeId, asked, query, most, statistics),
          await likeness(scopeId, vector, query, most),
        ]
        const wanted = [...new Set([...words.documents, ...near.documents])]
        const rows = await load(scopeId, wanted, words.documents, vector, query.filter !== undefined)
        const hits = asked.rank(rows.map(toCandidate), {
          ...statistics,
          passagesWith: (term) => words.counts[lexeme(scopeId, term)] ?? 0,
          unrelated: near.unrelated,
        })
        if (hits.length === query.limit || (words.documents.length < most && near.documents.length < most)) return hits
      }
    },

    async versions(scopeId) {
      const found = await run<{ id: string; seq: number | null }>(
        `SELECT id, seq::float8 AS seq FROM ${documents} WHERE scope_id = $1 AND NOT removed`,
        scopeId,
      )
      return new Map(found.map(({ id, seq }) => [id, seq ?? undefined]))
    },
  }

  /** Documents with any of the terms: the best by how rare those are and how short it is, and in how many each stands. */
  async function matching(
    scopeId: string,
    { terms }: AskedQuery,
    { prefix = '' }: SearchQuery,
    most: number,
    { passages, meanTerms }: KnownScope['statistics'],
  ): Promise<{ documents: number[]; counts: Record<string, number> }> {
    if (terms.length === 0) return { documents: [], counts: {} }
    const [found] = await run<{ documents: number[] | null; counts: Record<string, number> | null }>(
      `WITH hit AS MATERIALIZED (
  SELECT asked.term, t.document, t.id, t.length::float8 / greatest(t.passages, 1) AS length
  FROM unnest($1::text[]) AS asked(term) JOIN ${documents} t ON t.lexemes @@ ('''' || asked.term || '''')::tsquery
), weight AS (
  SELECT term, count(*) AS found, ln(1 + (greatest($2::float8, count(*)) - count(*) + 0.5) / (count(*) + 0.5)) AS idf FROM hit GROUP BY term
), best AS (
  SELECT hit.document FROM hit JOIN weight USING (term) WHERE hit.id >= $4 AND ($5::text IS NULL OR hit.id < $5)
  GROUP BY hit.document, hit.length ORDER BY sum(weight.idf) / (1.5 + 0.7 * hit.length / $3::float8) DESC, hit.document LIMIT $6
)
SELECT (SELECT jsonb_agg(document) FROM best) AS documents, (SELECT jsonb_object_agg(term, found) FROM weight) AS counts`,
      terms.map((term) => lexeme(scopeId, term)),
      passages,
      meanTerms,
      prefix,
      prefixEnd(prefix) ?? null,
      most,
    )
    return { documents: found?.documents ?? [], counts: found?.counts ?? {} }
  }

  /** Of all documents with vectors: those nearest to the query's. */
  async function likeness(
    scopeId: string,
    vector: string | undefined,
    { prefix = '' }: SearchQuery,
    most: number,
  ): Promise<{ documents: number[]; unrelated: number }> {
    if (vector === undefined) return { documents: [], unrelated: 0 }
    const [found] = await run<{ documents: number[] | null; sum: number; count: number }>(
      `WITH near AS MATERIALIZED (
  SELECT document, id, ${cosine('$2')} AS cosine FROM ${documents} WHERE scope_id = $1 AND NOT removed AND vectors IS NOT NULL
), best AS (
  SELECT document FROM near WHERE id >= $3 AND ($4::text IS NULL OR id < $4) ORDER BY cosine DESC, document LIMIT $5
)
SELECT (SELECT jsonb_agg(document) FROM best) AS documents, (SELECT coalesce(sum(cosine), 0) FROM near)::float8 AS sum, (SELECT count(*) FROM near)::float8 AS count`,
      scopeId,
      vector,
      prefix,
      prefixEnd(prefix) ?? null,
      most,
    )
    return { documents: found!.documents ?? [], unrelated: unrelatedCosine(found!.sum, found!.count) }
  }

  /** Documents, and the neighbours of those that match by words. */
  function load(
    scopeId: string,
    wanted: readonly number[],
    matches: readonly number[],
    vector: string | undefined,
    withValues: boolean,
  ): Promise<(SearchRow & { seq: number | null; similarity: number | null })[]> {
    const side = (compare: string, order: string): string =>
      `(SELECT n.document FROM ${documents} n WHERE n.scope_id = $1 AND NOT n.removed AND n.session = c.session AND (n.position, n.document) ${compare} (c.position, c.document) ORDER BY n.position ${order}, n.document ${order} LIMIT ${NEIGHBOURS})`
    const similarity = vector === undefined ? 'NULL::float8' : cosine('$4')
    return run(
      `SELECT ${columns}, ${withValues ? 'value' : 'NULL::bytea AS value'}, ${similarity} AS similarity FROM ${documents}
WHERE document IN (
  SELECT unnest($2::bigint[])
  UNION SELECT beside.document FROM ${documents} c CROSS JOIN LATERAL (${side('<', 'DESC')} UNION ALL ${side('>', 'ASC')}) beside
  WHERE c.document = ANY($3::bigint[]) AND c.session IS NOT NULL
) ORDER BY position, document`,
      scopeId,
      wanted,
      matches,
      ...(vector === undefined ? [] : [vector]),
    )
  }
}

/** Every lexeme carries the number of its scope, so that nothing of another scope is ever looked at. */
function lexeme(scopeId: string, term: string): string {
  return `${scopeId}x${term}`
}

/** What a document is found by, each once: of one with more long words than a `tsvector` takes, the first. */
function lexemesOf(scopeId: string, { passages }: AnalysedDocument): string[] {
  const lexemes: string[] = []
  let bytes = 0
  for (const term of new Set(passages.flat())) {
    const one = lexeme(scopeId, term)
    bytes += utf8.encode(one).length
    if (bytes > MOST_LEXEME_BYTES) break
    lexemes.push(one)
  }
  return lexemes
}

const utf8 = new TextEncoder()

/** The greatest cosine of a row's vectors with that of a parameter. */
function cosine(parameter: string): string {
  return `(SELECT max(1 - (one <=> ${parameter}::vector)) FROM unnest(vectors) AS one)::float8`
}

function vectorText(vector: readonly number[]): string {
  return `[${unit(vector).join(',')}]`
}

function base64(bytes: Uint8Array): string {
  let binary = ''
  for (let from = 0; from < bytes.length; from += 8192)
    binary += String.fromCharCode(...bytes.subarray(from, from + 8192))
  return btoa(binary)
}

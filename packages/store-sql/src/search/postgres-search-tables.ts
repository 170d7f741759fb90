import { SEARCH_FORMAT } from './search-format.ts'

/** The names of an index's tables, quoted. */
export interface SearchTables {
  documents: string
  scopes: string
  space: string
}

export function searchTableNames(schema: string | undefined, table: string): SearchTables {
  const name = (part: string): string => (schema === undefined ? `"${table}${part}"` : `"${schema}"."${table}${part}"`)
  return { documents: name(''), scopes: name('_scopes'), space: name('_space') }
}

/**
 * Makes the tables, in one statement, so that it is one transaction on any client. Terms are made by Keepsake, so no
 * text-search configuration takes part.
 */
export function createSearchTables(
  schema: string | undefined,
  table: string,
  { documents, scopes, space }: SearchTables,
  vectors: boolean,
): string {
  return `DO $keepsake$ BEGIN
  PERFORM pg_advisory_xact_lock(7738703068352572262);
  ${schema === undefined ? '' : `IF to_regnamespace('"${schema}"') IS NULL THEN CREATE SCHEMA "${schema}"; END IF;`}
  ${vectors ? "IF to_regtype('vector') IS NULL THEN CREATE EXTENSION IF NOT EXISTS vector; END IF;" : ''}
  CREATE TABLE IF NOT EXISTS ${space} (one BOOLEAN PRIMARY KEY CHECK (one), format INTEGER NOT NULL, model TEXT, dims INTEGER);
  INSERT INTO ${space} (one, format) VALUES (TRUE, ${SEARCH_FORMAT}) ON CONFLICT DO NOTHING;
  CREATE TABLE IF NOT EXISTS ${scopes} (
    scope_id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    scope TEXT COLLATE "C" NOT NULL UNIQUE,
    built BOOLEAN NOT NULL DEFAULT FALSE
  );
  CREATE TABLE IF NOT EXISTS ${documents} (
    document BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    scope_id BIGINT NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    seq BIGINT,
    removed BOOLEAN NOT NULL DEFAULT FALSE,
    session TEXT COLLATE "C",
    position DOUBLE PRECISION,
    passages INTEGER NOT NULL DEFAULT 0,
    length INTEGER NOT NULL DEFAULT 0,
    speaker TEXT COLLATE "C",
    role TEXT,
    at_ms DOUBLE PRECISION,
    flags INTEGER NOT NULL DEFAULT 0,
    terms TEXT NOT NULL DEFAULT '',
    lexemes TSVECTOR NOT NULL DEFAULT '',
    value BYTEA,
    ${vectors ? 'vectors VECTOR[],' : ''}
    UNIQUE (scope_id, id)
  );
  CREATE INDEX IF NOT EXISTS "${table}_lexemes" ON ${documents} USING gin (lexemes);
  CREATE INDEX IF NOT EXISTS "${table}_sessions" ON ${documents} (scope_id, session, position, document) WHERE NOT removed AND session IS NOT NULL;
END $keepsake$`
}

export function dropSearchTables({ documents, scopes, space }: SearchTables): string {
  return `DROP TABLE IF EXISTS ${documents}, ${scopes}, ${space}`
}

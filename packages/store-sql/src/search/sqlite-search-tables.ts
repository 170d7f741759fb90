import type { DatabaseSync } from 'node:sqlite'
import { selectValue } from '../sqlite-value.ts'
import { checkSearchFormat, noSearchIndex, SEARCH_FORMAT } from './search-format.ts'

/** The tables of an index on SQLite. Terms are made by Keepsake, so the tokenizer only parts them at spaces. */
export function searchTables(table: string): string[] {
  return [
    `CREATE TABLE IF NOT EXISTS "${table}_space" (one INTEGER PRIMARY KEY CHECK (one = 1), format INTEGER NOT NULL, model TEXT, dims INTEGER)`,
    `INSERT OR IGNORE INTO "${table}_space" (one, format) VALUES (1, ${SEARCH_FORMAT})`,
    `CREATE TABLE IF NOT EXISTS "${table}_scopes" (scope_id INTEGER PRIMARY KEY, scope TEXT NOT NULL UNIQUE, built INTEGER NOT NULL DEFAULT 0)`,
    `CREATE TABLE IF NOT EXISTS "${table}" (
  document INTEGER PRIMARY KEY,
  scope_id INTEGER NOT NULL,
  id TEXT NOT NULL,
  seq INTEGER,
  removed INTEGER NOT NULL DEFAULT 0,
  session TEXT,
  position REAL,
  passages INTEGER NOT NULL DEFAULT 0,
  length INTEGER NOT NULL DEFAULT 0,
  speaker TEXT,
  role TEXT,
  at_ms INTEGER,
  flags INTEGER NOT NULL DEFAULT 0,
  terms TEXT NOT NULL DEFAULT '',
  value BLOB,
  vectors BLOB,
  UNIQUE (scope_id, id)
)`,
    `CREATE INDEX IF NOT EXISTS "${table}_sessions" ON "${table}" (scope_id, removed, session, position, passages, length, speaker)`,
    `CREATE VIRTUAL TABLE IF NOT EXISTS "${table}_terms" USING fts5 (terms, content = '', contentless_delete = 1, tokenize = 'ascii')`,
    `CREATE VIRTUAL TABLE IF NOT EXISTS "${table}_words" USING fts5vocab ("${table}_terms", 'row')`,
  ]
}

export function dropSearchTables(table: string): string[] {
  return ['_words', '_terms', '_scopes', '_space', ''].map((part) => `DROP TABLE IF EXISTS "${table}${part}"`)
}

/** Throws `not_provisioned` where tables are missing, `unsupported` for those of another version of this package. */
export function checkSearchTables(database: DatabaseSync, table: string, where: string): void {
  const found = selectValue(database, 'SELECT count(*) FROM sqlite_schema WHERE name = ?', `${table}_space`)
  if (found === 0) throw noSearchIndex(where, table)
  checkSearchFormat(selectValue(database, `SELECT format FROM "${table}_space"`), where, table)
}

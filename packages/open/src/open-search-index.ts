import { KeepsakeError, parseStoreUri, type SearchIndex } from '@keepsake/core'
import { importPostgres, importSqlite } from './sql-modules.ts'

/**
 * The search index in the database of a store's URI: FTS5 in SQLite, `tsvector` in PostgreSQL. `table` is
 * `keepsake_search` by default. Nothing is created: `provision()` on the index does that.
 *
 * Throws `unsupported` for stores whose database keeps no index: there records are searched by an index in the process.
 */
export async function openSearchIndex(uri: string, options: { table?: string } = {}): Promise<SearchIndex> {
  const parsed = parseStoreUri(uri)
  if (parsed.kind === 'file') {
    const { sqliteSearchIndex } = await importSqlite()
    return sqliteSearchIndex({ path: parsed.path, provision: false, ...options })
  }
  if (parsed.scheme === 'postgres' || parsed.scheme === 'postgresql')
    return (await importPostgres()).postgresSearchIndex({ url: uri, ...options })
  throw new KeepsakeError(
    'unsupported',
    'This store keeps no search index: records in it are searched by an index in the process, which is built when it is first asked.',
    { details: { scheme: parsed.scheme } },
  )
}

import { postgresErrors } from '../postgres-errors.ts'
import { importPg } from '../postgres-connections.ts'
import { codeOf } from '../network-errors.ts'
import { invalid, checkUrl } from '../server-options.ts'
import { POSTGRES_SCHEMES } from '../postgres-options.ts'
import { checkSchemaName, checkTableName } from '../tables.ts'
import { DEFAULT_SEARCH_TABLE, noSearchIndex } from './search-format.ts'

/** What the index uses of a database: a `Pool` or `Client` of `pg` is one, and so is a `PGlite`. */
export interface PostgresSearchClient {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
}

interface CommonOptions {
  /** The tables' names begin with it. Default `keepsake_search`. */
  table?: string
  /** The schema of the tables. Left out: where the search path leads. Created by `provision()` if it does not exist. */
  schema?: string
  /** Whether it holds vectors, by pgvector: `provision()` then creates the extension if it may. Default `false`. */
  vectors?: boolean
}

export type PostgresSearchOptions = CommonOptions &
  (
    | {
        /** `postgres://USER:PASSWORD@HOST:PORT/DATABASE`. */
        url: string
        client?: never
      }
    | {
        /** A `Pool` or a connected `Client` of `pg`, or a `PGlite`, that the application keeps and closes. */
        client: PostgresSearchClient
        url?: never
      }
  )

export interface PostgresSearchSettings {
  table: string
  schema: string | undefined
  vectors: boolean
  query: <T>(text: string, ...values: unknown[]) => Promise<T[]>
  close: () => Promise<void>
}

const WHERE = 'The PostgreSQL database'

/** Throws `invalid_value` for options that cannot be used. Connects to nothing. */
export function checkPostgresSearchOptions(options: PostgresSearchOptions): PostgresSearchSettings {
  if (typeof options !== 'object' || options === null)
    throw invalid(`postgresSearchIndex takes an object such as { url: 'postgres://…' }.`)
  const { table = DEFAULT_SEARCH_TABLE, schema, vectors = false, url, client } = options
  checkTableName(table)
  if (schema !== undefined) checkSchemaName(schema)
  if (typeof vectors !== 'boolean') throw invalid('vectors must be true or false.')
  if ((url === undefined) === (client === undefined)) throw invalid('give one of url and client.')
  if (url !== undefined) checkUrl(url, POSTGRES_SCHEMES)
  else if (typeof client?.query !== 'function') throw invalid('client must be a Pool or Client of pg, or a PGlite.')
  const errors = postgresErrors(WHERE)
  let opening: Promise<PostgresSearchClient & { end?(): Promise<void> }> | undefined

  async function open(): Promise<PostgresSearchClient & { end?(): Promise<void> }> {
    if (client !== undefined) return { query: (text, values) => client.query(text, values) }
    const { Pool } = await importPg()
    const pool = new Pool({ connectionString: url, keepAlive: true, fallback_application_name: 'keepsake' })
    // An idle connection that breaks is replaced; without a listener it would end the process.
    pool.on('error', () => {})
    return pool
  }

  return {
    table,
    schema,
    vectors,

    async query<T>(text: string, ...values: unknown[]) {
      opening ??= open().catch((error: unknown) => {
        opening = undefined
        throw error
      })
      const opened = await opening
      try {
        const { rows } = await opened.query(text, values)
        return rows as T[]
      } catch (error) {
        throw error instanceof Error && codeOf(error) === '42P01'
          ? noSearchIndex(WHERE, table, error)
          : errors.toKeepsakeError(error)
      }
    },

    async close() {
      const opened = await opening?.catch(() => {})
      await opened?.end?.()
    },
  }
}

import type { SearchIndex } from '@keepsake/core'
import { postgresSearchIndex } from '@keepsake/store-sql/postgres'
import { sqliteSearchIndex } from '@keepsake/store-sql/sqlite'
import { Client } from 'pg'

/** An index, made for a run and taken away after it. */
export interface OpenIndex {
  name: string
  open: () => Promise<SearchIndex>
}

/** The indexes in databases: PostgreSQL's only where a server is. */
export async function searchIndexes(): Promise<OpenIndex[]> {
  const url = process.env['KEEPSAKE_POSTGRES_URL'] ?? 'postgres://postgres@127.0.0.1:5432/test'
  const postgres = { name: 'PostgreSQL', open: () => openPostgres(url) }
  return [
    { name: 'FTS5', open: async () => sqliteSearchIndex({ path: ':memory:' }) },
    ...((await answers(url)) ? [postgres] : []),
  ]
}

async function openPostgres(url: string): Promise<SearchIndex> {
  const index = postgresSearchIndex({ url, table: `keepsake_bench_${process.pid}` })
  await index.provision()
  return Object.assign(index, {
    async [Symbol.asyncDispose]() {
      await index.provision({ down: true })
      await index.close()
    },
  })
}

async function answers(connectionString: string): Promise<boolean> {
  const client = new Client({ connectionString })
  try {
    await client.connect()
    await client.end()
    return true
  } catch {
    return false
  }
}

import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import { testSearchIndex } from '@keepsake/store-testing'
import { afterAll } from 'vitest'
import { postgresSearchIndex } from '../src/postgres.ts'

// Starting it takes seconds, so no hook waits for it.
const client = await PGlite.create({ extensions: { vector } })
afterAll(() => client.close())

testSearchIndex('tsvector and pgvector in PGlite', async (table) =>
  postgresSearchIndex({ client, table, vectors: true }),
)

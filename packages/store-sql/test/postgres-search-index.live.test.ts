import { randomUUID } from 'node:crypto'
import { testSearchIndex } from '@keepsake/store-testing'
import { Client } from 'pg'
import { postgresSearchIndex } from '../src/postgres.ts'
import { serverUrl } from './server.ts'

const url = await serverUrl('postgres')

if (url !== undefined) {
  const vectors = await hasVectors(url)
  // Of this run alone: others may use the same database.
  const run = randomUUID().slice(0, 8)
  const reason = 'this server has no pgvector; PGlite runs it'
  testSearchIndex(
    'tsvector in PostgreSQL',
    async (name) => postgresSearchIndex({ url, table: `${name}_${run}`, vectors }),
    vectors
      ? {}
      : {
          skip: {
            vectors: reason,
            'finds by meaning what shares no word: "I\'m hungry" finds "I love pizza"': reason,
            'embeds what changed, and no more, when it is brought up to date': reason,
            'another model is refused by the first put, before anything is written, and both are named': reason,
          },
        },
  )
}

async function hasVectors(connectionString: string): Promise<boolean> {
  const client = new Client({ connectionString })
  await client.connect()
  const { rowCount } = await client.query(`SELECT FROM pg_available_extensions WHERE name = 'vector'`)
  await client.end()
  return rowCount === 1
}

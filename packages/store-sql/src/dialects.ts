import type { Kysely } from 'kysely'
import type { RowsDatabase } from './tables.ts'

/**
 * Kysely as a builder of SQLite's SQL; it never talks to a database. Loaded when first needed, because importing Kysely
 * takes longer (some 100 ms) than everything else a program does to open a file.
 */
export async function sqliteQueries(): Promise<Kysely<RowsDatabase>> {
  const { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } = await import('kysely')
  return new Kysely({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
}

import type { DialectAdapter, Kysely, QueryCompiler } from 'kysely'
import type { RowsDatabase } from './tables.ts'

// Kysely as a builder of SQL; it never talks to a database. Loaded when first needed, because importing Kysely takes
// longer (some 100 ms) than everything else a program does to open a store.

type KyselyModule = typeof import('kysely')

export function sqliteQueries(): Promise<Kysely<RowsDatabase>> {
  return queries(({ SqliteAdapter, SqliteQueryCompiler }) => [new SqliteAdapter(), new SqliteQueryCompiler()])
}

export function postgresQueries(): Promise<Kysely<RowsDatabase>> {
  return queries(({ PostgresAdapter, PostgresQueryCompiler }) => [new PostgresAdapter(), new PostgresQueryCompiler()])
}

export function mysqlQueries(): Promise<Kysely<RowsDatabase>> {
  return queries(({ MysqlAdapter, MysqlQueryCompiler }) => [new MysqlAdapter(), new MysqlQueryCompiler()])
}

async function queries(
  dialect: (kysely: KyselyModule) => [DialectAdapter, QueryCompiler],
): Promise<Kysely<RowsDatabase>> {
  const kysely = await import('kysely')
  const [adapter, compiler] = dialect(kysely)
  return new kysely.Kysely({
    dialect: {
      createAdapter: () => adapter,
      createDriver: () => new kysely.DummyDriver(),
      createIntrospector: (db) => new kysely.SqliteIntrospector(db),
      createQueryCompiler: () => compiler,
    },
  })
}

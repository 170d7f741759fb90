export { driver } from './postgres-driver.ts'
export type {
  PostgresClient,
  PostgresPool,
  PostgresPoolClient,
  PostgresQuery,
  PostgresResult,
} from './postgres-client.ts'
export { postgresMigrations, type PostgresTables } from './postgres-migrations.ts'
export type {
  PostgresClientOptions,
  PostgresPoolOptions,
  PostgresStoreOptions,
  PostgresUrlOptions,
} from './postgres-options.ts'
export { postgresStore } from './postgres-store.ts'
export { postgresSearchIndex } from './search/postgres-search-index.ts'
export type { PostgresSearchClient, PostgresSearchOptions } from './search/postgres-search-client.ts'

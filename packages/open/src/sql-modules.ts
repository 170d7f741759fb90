import { importStore } from './import-store.ts'

// The modules of @keepsake/store-sql, each imported when first needed. They throw `unsupported` where the package is missing.

export function importSqlite(): Promise<typeof import('@keepsake/store-sql/sqlite')> {
  return importStore('@keepsake/store-sql/sqlite', () => import('@keepsake/store-sql/sqlite'))
}

export function importPostgres(): Promise<typeof import('@keepsake/store-sql/postgres')> {
  return importStore('@keepsake/store-sql/postgres', () => import('@keepsake/store-sql/postgres'))
}

export function importMysql(): Promise<typeof import('@keepsake/store-sql/mysql')> {
  return importStore('@keepsake/store-sql/mysql', () => import('@keepsake/store-sql/mysql'))
}

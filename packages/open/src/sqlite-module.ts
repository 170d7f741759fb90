import { importStore } from './import-store.ts'

/** The module that keeps rows in SQLite files, imported when first needed. Throws `unsupported` where it is missing. */
export function importSqlite(): Promise<typeof import('@keepsake/store-sql/sqlite')> {
  return importStore('@keepsake/store-sql/sqlite', () => import('@keepsake/store-sql/sqlite'))
}

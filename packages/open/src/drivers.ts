import type { StoreDriver } from '@keepsake/core'
import { importStore } from './import-store.ts'
import { importMysql, importPostgres, importSqlite } from './sql-modules.ts'

/**
 * Our stores as drivers that import nothing until they open something. To add schemes of your own, hand this list and
 * your drivers to core: `openStore(uri, [...drivers, mine])`.
 */
export const drivers: readonly StoreDriver[] = Object.freeze([
  { schemes: ['sqlite', 'file'], open: async (uri) => (await importSqlite()).driver.open(uri) },
  { schemes: ['postgres', 'postgresql'], open: async (uri) => (await importPostgres()).driver.open(uri) },
  { schemes: ['mysql', 'mariadb'], open: async (uri) => (await importMysql()).driver.open(uri) },
  {
    schemes: ['redis', 'rediss', 'redis+cluster'],
    open: async (uri) =>
      (await importStore('@keepsake/store-redis', () => import('@keepsake/store-redis'))).driver.open(uri),
  },
  {
    schemes: ['firestore'],
    open: async (uri) =>
      (await importStore('@keepsake/store-firestore', () => import('@keepsake/store-firestore'))).driver.open(uri),
  },
  {
    schemes: ['bigtable'],
    open: async (uri) =>
      (await importStore('@keepsake/store-bigtable', () => import('@keepsake/store-bigtable'))).driver.open(uri),
  },
] satisfies StoreDriver[])

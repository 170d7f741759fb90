import type { StoreDriver } from '@keepsake/core'
import { importSqlite } from './sqlite-module.ts'

/**
 * Our stores as drivers that import nothing until they open something. To add schemes of your own, hand this list and
 * your drivers to core: `openStore(uri, [...drivers, mine])`.
 */
export const drivers: readonly StoreDriver[] = Object.freeze([
  { schemes: ['sqlite', 'file'], open: async (uri) => (await importSqlite()).driver.open(uri) },
] satisfies StoreDriver[])

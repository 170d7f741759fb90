import type { StoreDriver } from '@keepsake/core'
import { MYSQL_SCHEMES } from './mysql-options.ts'
import { mysqlStore } from './mysql-store.ts'

/** Opens `mysql://` and `mariadb://` addresses for `openStore` of `@keepsake/core`, with the defaults of {@link mysqlStore}. */
export const driver: StoreDriver = { schemes: MYSQL_SCHEMES, open: (url) => mysqlStore({ url }) }

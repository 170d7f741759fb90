import type { StoreDriver } from '@keepsake/core'
import { POSTGRES_SCHEMES } from './postgres-options.ts'
import { postgresStore } from './postgres-store.ts'

/** Opens `postgres://` and `postgresql://` addresses for `openStore` of `@keepsake/core`, with the defaults of {@link postgresStore}. */
export const driver: StoreDriver = { schemes: POSTGRES_SCHEMES, open: (url) => postgresStore({ url }) }

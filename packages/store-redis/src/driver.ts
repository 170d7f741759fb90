import type { StoreDriver } from '@keepsake/core'
import { redisStore } from './redis-store.ts'

/** Opens `redis://`, `rediss://` and `redis+cluster://` addresses with `openStore`. */
export const driver: StoreDriver = {
  schemes: ['redis', 'rediss', 'redis+cluster'],
  open: (url) => redisStore({ url }),
}

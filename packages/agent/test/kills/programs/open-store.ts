import type { RowStore } from '@keepsake/core'

/** Where a store is that nobody else uses: a file, a table, or keys of its own. */
export type StorePlace =
  | { name: 'sqlite'; path: string }
  | { name: 'postgres'; url: string; table: string }
  | { name: 'redis'; url: string; prefix: string }

/** Opens it, and imports no other: these processes start often. */
export async function openStore({ name, ...options }: StorePlace): Promise<RowStore> {
  if (name === 'sqlite') return (await import('@keepsake/store-sql/sqlite')).sqliteStore(options as { path: string })
  if (name === 'redis') return (await import('@keepsake/store-redis')).redisStore(options as { url: string })
  return (await import('@keepsake/store-sql/postgres')).postgresStore(options as { url: string })
}

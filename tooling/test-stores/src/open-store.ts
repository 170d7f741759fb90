import type { RowStore } from '@keepsake/core'

/** Where a store is that nobody else uses: a file, a table, or keys of its own. */
export type StorePlace =
  | { name: 'sqlite'; path: string }
  | { name: 'postgres'; url: string; table: string }
  | { name: 'mysql'; url: string; table: string }
  | { name: 'redis' | 'redis-cluster'; url: string; prefix: string }
  | { name: 'firestore'; project: string; collection: string }
  | { name: 'bigtable'; project: string; instance: string; table: string }

/** Opens it, and imports no other: these processes start often. */
export async function openStore(place: StorePlace): Promise<RowStore> {
  switch (place.name) {
    case 'sqlite':
      return (await import('@keepsake/store-sql/sqlite')).sqliteStore({ path: place.path })
    case 'postgres':
      return (await import('@keepsake/store-sql/postgres')).postgresStore({ url: place.url, table: place.table })
    case 'mysql':
      return (await import('@keepsake/store-sql/mysql')).mysqlStore({ url: place.url, table: place.table })
    case 'redis':
    case 'redis-cluster':
      return (await import('@keepsake/store-redis')).redisStore({ url: place.url, prefix: place.prefix })
    case 'firestore':
      return (await import('@keepsake/store-firestore')).firestoreStore(emulated(place))
    case 'bigtable':
      return (await import('@keepsake/store-bigtable')).bigtableStore(emulated(place))
    default:
      throw new TypeError('a place of no kind')
  }
}

/** Google's clients look for the metadata server of its cloud even where an emulator is named. */
function emulated<P extends { name: string }>(place: P): P {
  process.env['METADATA_SERVER_DETECTION'] = 'none'
  return place
}

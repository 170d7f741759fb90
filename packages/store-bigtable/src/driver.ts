import { KeepsakeError, parseStoreUri, type StoreDriver } from '@keepsake/core'
import { bigtableStore } from './bigtable-store.ts'

/** Opens `bigtable://PROJECT/INSTANCE/TABLE` addresses with `openStore`. */
export const driver: StoreDriver = {
  schemes: ['bigtable'],
  open(uri) {
    const parsed = parseStoreUri(uri)
    if (parsed.kind !== 'bigtable') {
      throw new KeepsakeError('invalid_value', 'A Bigtable address has the form bigtable://PROJECT/INSTANCE/TABLE.')
    }
    const { project, instance, table } = parsed
    return bigtableStore({ project, instance, table })
  },
}

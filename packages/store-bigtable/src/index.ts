export { bigtableStore } from './bigtable-store.ts'
export { driver } from './driver.ts'
export type { BigtableStoreOptions } from './options.ts'

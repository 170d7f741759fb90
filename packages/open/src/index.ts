export { drivers } from './drivers.ts'
export { openExistingStore, openStore } from './open-store.ts'
export { storeMigrations, type StoreMigration } from './store-migrations.ts'
export { storePackages, type StorePackage } from './store-packages.ts'

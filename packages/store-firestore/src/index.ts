export { driver } from './driver.ts'
export { firestoreStore } from './firestore-store.ts'
export type { FirestoreStoreOptions } from './options.ts'

export { driver } from './driver.ts'
export type { RedisStoreOptions } from './options.ts'
export { redisStore, type RedisStore } from './redis-store.ts'

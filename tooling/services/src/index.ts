export { startChild, type Child } from './child.ts'
export { anyFreePort, freePorts, listens } from './ports.ts'
export { ask, hasRedis, startRedis } from './redis.ts'
export { startRedisCluster, type RedisCluster } from './redis-cluster.ts'

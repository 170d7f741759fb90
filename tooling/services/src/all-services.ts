import { bigtable } from './bigtable.ts'
import { firestore } from './firestore.ts'
import { mariadb } from './mariadb.ts'
import { postgres } from './postgres.ts'
import { redisCluster } from './redis-cluster.ts'
import { redis } from './redis.ts'
import type { Service } from './service.ts'

export const allServices: readonly Service[] = [postgres, mariadb, redis, redisCluster, firestore, bigtable]

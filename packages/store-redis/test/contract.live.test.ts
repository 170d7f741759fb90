import { testRowStore } from '@keepsake/store-testing'
import { redisStore } from '../src/redis-store.ts'

const url = process.env['KEEPSAKE_REDIS_URL'] ?? 'redis://127.0.0.1:6379'
testRowStore('redis', async () => redisStore({ url, prefix: 'keepsake-test' }))

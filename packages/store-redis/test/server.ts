import { listens } from '@keepsake/services'

/** Where Redis listens unless it is told otherwise. */
const STANDARD_PORT = 6379

/** The address of a Redis server; `undefined` where there is none, and an error where CI should have started one. */
export async function serverUrl(): Promise<string | undefined> {
  const url = process.env['KEEPSAKE_REDIS_URL']
  if (url !== undefined) return url
  if (await listens(STANDARD_PORT)) return `redis://127.0.0.1:${STANDARD_PORT}`
  if (process.env['CI']) throw new Error('CI must start Redis and set KEEPSAKE_REDIS_URL.')
  return undefined
}

/** The same for a cluster. */
export function clusterUrl(): string | undefined {
  const url = process.env['KEEPSAKE_REDIS_CLUSTER_URL']
  if (url === undefined && process.env['CI'])
    throw new Error('CI must start a cluster and set KEEPSAKE_REDIS_CLUSTER_URL.')
  return url
}

import { KeepsakeError, parseStoreUri } from '@keepsake/core'
import { Cluster, Redis } from 'ioredis'

/** Commands are sent again by the store, within its own time, so the client does not do it as well. */
const options = {
  lazyConnect: true,
  maxRetriesPerRequest: 1,
  connectTimeout: 5000,
  retryStrategy: (times: number) => Math.min(times * 50, 1000),
}

/** A client for the address, not connected yet. Throws `invalid_value` for one that is none. */
export function connect(url: string): Redis | Cluster {
  const parsed = parseStoreUri(url)
  if (parsed.scheme === 'redis+cluster') return connectCluster(url)
  if (parsed.scheme === 'redis' || parsed.scheme === 'rediss') return quiet(new Redis(url, { ...options }))
  throw new KeepsakeError('invalid_value', 'A Redis address begins with redis://, rediss:// or redis+cluster://.')
}

function connectCluster(url: string): Cluster {
  const { hosts, username, password } = parseCluster(url)
  return quiet(
    new Cluster(hosts, {
      lazyConnect: true,
      clusterRetryStrategy: (times) => Math.min(times * 50, 1000),
      slotsRefreshTimeout: 5000,
      redisOptions: { ...options, ...(username !== '' && { username }), ...(password !== '' && { password }) },
    }),
  )
}

/** `redis+cluster://[USER:PASSWORD@]HOST:PORT,HOST:PORT`: several servers to ask, as one may be down. */
function parseCluster(url: string): { hosts: { host: string; port: number }[]; username: string; password: string } {
  const match = /^redis\+cluster:\/\/(?:([^:@/]*):([^@/]*)@)?([^/@]+)\/?$/i.exec(url)
  const hosts = (match?.[3] ?? '').split(',').map((address) => {
    const [, host, port] = /^(\[[^\]]+\]|[^:]+)(?::(\d{1,5}))?$/.exec(address) ?? []
    return { host: host?.replace(/^\[|\]$/g, '') ?? '', port: Number(port ?? 6379) }
  })
  if (match === null || hosts.some(({ host }) => host === '')) {
    throw new KeepsakeError(
      'invalid_value',
      'A Redis Cluster has the address redis+cluster://[USER:PASSWORD@]HOST:PORT,HOST:PORT.',
    )
  }
  return { hosts, username: decodeURIComponent(match[1] ?? ''), password: decodeURIComponent(match[2] ?? '') }
}

/** Failures reach the calls that meet them; without a listener ioredis prints each of them as well. */
function quiet<T extends Redis | Cluster>(client: T): T {
  client.on('error', () => {})
  return client
}

import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Child } from './child.ts'
import { needProgram, outputOf } from './programs.ts'
import { ask, hasRedis, identifyRedis, startRedis } from './redis.ts'
import type { Place, Service } from './service.ts'

const NODES = 6
const READY_WITHIN_MS = 30_000

export const redisCluster: Service = {
  name: 'redis-cluster',
  variable: 'KEEPSAKE_REDIS_CLUSTER_URL',
  port: 7000,
  // For clients, and as many for the servers among themselves.
  ports: 2 * NODES,
  packages: ['redis-server'],
  address: (port) => `redis+cluster://127.0.0.1:${port}`,
  isInstalled: () => hasRedis(),
  async identify(port) {
    const engine = await identifyRedis(port, 'cluster')
    return engine !== undefined && (await isWhole(port)) ? `${engine} Cluster` : undefined
  },
  async start(place) {
    // A busy machine is no reason to fail over.
    const cluster = await startRedisCluster({ ...place, nodeTimeoutMs: 20_000 })
    return { stop: () => cluster.stop() }
  },
}

export interface RedisCluster {
  /** By port: `port` to `port + 5`. */
  readonly nodes: ReadonlyMap<number, Child>
  stop(): Promise<void>
}

/** Starts a cluster of three masters, each with one replica. A master without a word for `nodeTimeoutMs` is replaced. */
export async function startRedisCluster({
  port,
  dataDir,
  nodeTimeoutMs,
}: Place & { nodeTimeoutMs: number }): Promise<RedisCluster> {
  const ports = Array.from({ length: NODES }, (_, i) => port + i)
  const nodes = new Map<number, Child>()
  const stop = async (): Promise<void> => {
    await Promise.all(Array.from(nodes.values(), (node) => node.stop('SIGKILL')))
  }
  try {
    await Promise.all(
      ports.map(async (at) =>
        nodes.set(at, await startNode({ port: at, dataDir: join(dataDir, String(at)) }, at + NODES, nodeTimeoutMs)),
      ),
    )
    const hosts = ports.map((at) => `127.0.0.1:${at}`)
    await outputOf(needProgram('redis-cli'), [
      '--cluster',
      'create',
      ...hosts,
      '--cluster-replicas',
      '1',
      '--cluster-yes',
    ])
    await untilWhole(ports)
  } catch (error) {
    await stop()
    throw error
  }
  return { nodes, stop }
}

function startNode(place: Place, busPort: number, nodeTimeoutMs: number): Promise<Child> {
  const settings = { 'cluster-enabled': 'yes', 'cluster-port': busPort, 'cluster-node-timeout': nodeTimeoutMs }
  return startRedis(
    place,
    Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]),
  )
}

async function untilWhole(ports: readonly number[]): Promise<void> {
  for (const timeUp = AbortSignal.timeout(READY_WITHIN_MS); !timeUp.aborted; await sleep(100)) {
    if ((await Promise.all(ports.map(isWhole))).every(Boolean)) return
  }
  throw new Error('The servers of the Redis Cluster did not find together in time.')
}

/** Whether a server sees all slots served and, if it is a replica, has its master's data. */
async function isWhole(port: number): Promise<boolean> {
  const [cluster = '', replication = ''] = await Promise.all([
    ask(port, 'cluster', 'info'),
    ask(port, 'info', 'replication'),
  ])
  if (!cluster.includes('cluster_state:ok')) return false
  if (/role:slave/.test(replication)) return replication.includes('master_link_status:up')
  return !/connected_slaves:0/.test(replication)
}

import { KeepsakeError } from '@keepsake/core'
import type { Cluster, Redis } from 'ioredis'
import type { RedisAddress } from './address.ts'
import { isTimedOut, within } from './within.ts'

/** A client, and what the store may do with it. */
export interface Connection {
  readonly client: Redis | Cluster
  /** Why it is not connected, where that is known. The errors of commands do not say it. */
  reason: () => Error | undefined
  /** After a command without an answer: gives up connections that give none at all, and the client makes others. */
  renew: () => void
  close: () => void
}

const CONNECT_TIMEOUT_MS = 5000
/** How long an ended connection may take to say goodbye. One that hangs never does. */
const GOODBYE_MS = 300
/** How long a connection on which a command got no answer may take for the shortest of all. */
const SILENT_MS = 500

/** Commands are sent again by the store, within its own time, so the client gives them back when a connection breaks. */
const options = {
  lazyConnect: true,
  maxRetriesPerRequest: 0,
  connectTimeout: CONNECT_TIMEOUT_MS,
  disconnectTimeout: GOODBYE_MS,
  retryStrategy: (times: number) => Math.min(times * 50, 1000),
  // After a failover behind one name, the old connection leads to what is a replica now.
  reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
}

/** A client of the caller's, which the store neither closes nor restarts. */
export function given(client: Redis | Cluster): Connection {
  return { client, reason: () => undefined, renew() {}, close() {} }
}

/**
 * Begins to connect to an address, and goes on trying. The client is imported no earlier than this. Rejects with
 * `unsupported` if ioredis is not installed.
 */
export async function connect(address: RedisAddress): Promise<Connection> {
  const client = address.kind === 'cluster' ? await openCluster(address) : await openServer(address)
  let reason: Error | undefined
  let renewing: Promise<void> | undefined
  client.on('ready', () => (reason = undefined))
  client.on('error', (error: Error & { lastNodeError?: Error; command?: { name: string } }) => {
    reason = error.lastNodeError ?? error
    // The client would go on with database 0.
    if (error.command?.name === 'select') client.disconnect()
  })
  client.connect().catch(() => {})
  return {
    client,
    reason: () => reason,
    renew() {
      renewing ??= endSilent(client).finally(() => (renewing = undefined))
    },
    close: () => client.disconnect(),
  }
}

/** Ends connections on which nothing comes back. Some servers accept a connection and then say nothing. */
async function endSilent(client: Redis | Cluster): Promise<void> {
  const servers = isCluster(client) ? client.nodes('all') : [client]
  const connected = servers.filter(({ status }) => status === 'ready' || status === 'connect')
  await Promise.all(
    connected.map(async (server) => {
      try {
        await within(server.ping(), SILENT_MS, undefined)
      } catch (error) {
        // One server is connected again; in a cluster another takes its place.
        if (isTimedOut(error)) server.disconnect(!client.isCluster)
      }
    }),
  )
}

async function openServer({
  host,
  port,
  db,
  tls,
  username,
  password,
}: RedisAddress & { kind: 'server' }): Promise<Redis> {
  const { Redis } = await importClient()
  return new Redis({ ...options, ...loginOf({ username, password }), host, port, db, ...(tls && { tls: {} }) })
}

async function openCluster({ hosts, username, password }: RedisAddress & { kind: 'cluster' }): Promise<Cluster> {
  const { Cluster } = await importClient()
  return new Cluster(hosts, {
    lazyConnect: true,
    // Commands that wait for a cluster that is gone would pile up.
    enableOfflineQueue: false,
    // Its check has no end if the server that it asks says nothing. Commands find out as well, and are sent again.
    enableReadyCheck: false,
    clusterRetryStrategy: options.retryStrategy,
    slotsRefreshTimeout: 2000,
    redisOptions: { ...options, ...loginOf({ username, password }) },
  })
}

function loginOf({ username, password }: { username: string | undefined; password: string | undefined }) {
  return { ...(username !== undefined && { username }), ...(password !== undefined && { password }) }
}

async function importClient(): Promise<Pick<typeof import('ioredis'), 'Redis' | 'Cluster'>> {
  try {
    return await import('ioredis')
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new KeepsakeError(
      'unsupported',
      'The Redis store needs the package ioredis, which is not installed: pnpm add ioredis',
      { cause: error, details: { package: 'ioredis' } },
    )
  }
}

/** By its mark and not by its class, which a client from another copy of ioredis does not have. */
export function isCluster(client: Redis | Cluster): client is Cluster {
  return client.isCluster
}

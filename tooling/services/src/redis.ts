import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { startChild, type Child } from './child.ts'
import { findProgram, needProgram, outputIfAny } from './programs.ts'
import type { Place, Service } from './service.ts'

export const redis: Service = {
  name: 'redis',
  variable: 'KEEPSAKE_REDIS_URL',
  port: 6379,
  ports: 1,
  packages: ['redis-server'],
  address: (port) => `redis://127.0.0.1:${port}`,
  isInstalled: () => hasRedis(),
  identify: (port) => identifyRedis(port, 'standalone'),
  async start(place) {
    const server = await startRedis(place)
    return { stop: () => server.stop() }
  },
}

/**
 * Starts a Redis server that keeps nothing on disk unless `args` say so, as `--appendonly yes`. What was started on the same
 * folder before finds its data again.
 */
export async function startRedis({ port, dataDir }: Place, args: readonly string[] = []): Promise<Child> {
  mkdirSync(dataDir, { recursive: true })
  const own = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--dir',
    dataDir,
    '--save',
    '',
    '--appendonly',
    'no',
    '--repl-diskless-sync-delay',
    '0',
  ]
  return await startChild(needProgram('redis-server'), {
    args: [...own, ...args],
    log: join(dataDir, 'redis.log'),
    isReady: async () => isAnswer(await ask(port, 'ping')),
  })
}

/** What `redis-cli` prints for a command; `undefined` where nobody answers. */
export function ask(port: number, ...command: readonly string[]): Promise<string | undefined> {
  return outputIfAny(findProgram('redis-cli'), ['-h', '127.0.0.1', '-p', String(port), ...command])
}

/** A server that wants a password is ready too. */
function isAnswer(text: string | undefined): boolean {
  return text === 'PONG' || text?.startsWith('NOAUTH') === true
}

export function hasRedis(): boolean {
  return findProgram('redis-server') !== undefined && findProgram('redis-cli') !== undefined
}

/** Redis on a port, in one of its two modes; `undefined` for something else or where a password is wanted. */
export async function identifyRedis(port: number, mode: 'standalone' | 'cluster'): Promise<string | undefined> {
  const info = (await ask(port, 'info', 'server')) ?? ''
  const fact = (name: string): string | undefined => new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1]
  return fact('redis_mode') === mode ? `Redis ${fact('redis_version')}` : undefined
}

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { anyFreePort, hasMariadb, hasPostgres, startMariadb, startPostgres } from '@keepsake/services'
import { describe } from 'vitest'
import type { ServerName } from './server.ts'

/** A database server that is this test's alone: it may be killed and started again. It syncs commits to disk. */
export interface OwnServer extends AsyncDisposable {
  readonly url: string
  /** Where its files are. */
  readonly dataDir: string
  /** Ends it at once, as a crash does. */
  crash(): Promise<void>
  /** Starts it again on the same port and data. */
  start(): Promise<void>
}

const SERVERS = {
  postgres: {
    isInstalled: hasPostgres,
    start: startPostgres,
    url: (port: number) => `postgres://postgres@127.0.0.1:${port}/postgres`,
    // What `pg_ctl stop -m immediate` sends. SIGKILL would leave its sessions running for a while.
    crash: 'SIGQUIT',
  },
  mysql: {
    isInstalled: hasMariadb,
    start: startMariadb,
    url: (port: number) => `mysql://root@127.0.0.1:${port}/mysql`,
    crash: 'SIGKILL',
  },
} as const

/** The servers that can be started here; a skipped test names each that cannot. In CI one that cannot is a failure. */
export function ownServers(): ServerName[] {
  return (Object.keys(SERVERS) as ServerName[]).filter((name) => {
    if (SERVERS[name].isInstalled()) return true
    if (process.env['CI']) throw new Error(`CI must have the programs of ${name}.`)
    describe.skip(`${name} (skipped: its programs are not on this machine)`, () => {})
    return false
  })
}

export async function ownServer(name: ServerName): Promise<OwnServer> {
  const server = SERVERS[name]
  const dataDir = mkdtempSync(join(tmpdir(), `keepsake-${name}-`))
  const place = { port: await anyFreePort(), dataDir }
  let running = await server.start(place)
  return {
    url: server.url(place.port),
    dataDir,
    crash: () => running.stop(server.crash),
    async start() {
      running = await server.start(place)
    },
    async [Symbol.asyncDispose]() {
      await running.stop(server.crash)
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

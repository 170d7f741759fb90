import { chownSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { startChild, type Child } from './child.ts'
import { findProgram, needProgram, outputIfAny, outputOf } from './programs.ts'
import { serverUser } from './server-user.ts'
import { DATABASE, type Place, type Service } from './service.ts'

export const postgres: Service = {
  name: 'postgres',
  variable: 'KEEPSAKE_POSTGRES_URL',
  port: 5432,
  ports: 1,
  packages: ['postgresql'],
  address: (port) => `postgres://postgres@127.0.0.1:${port}/${DATABASE}`,
  isInstalled: () => hasPostgres(),

  async identify(port) {
    const version = await query(port, 'show server_version')
    return version && `PostgreSQL ${version}`
  },

  async prepare(port) {
    const found = await query(port, `select 1 from pg_database where datname = '${DATABASE}'`)
    if (found === '') await query(port, `create database ${DATABASE}`)
  },

  async start(place) {
    const server = await startPostgres(place, ['-c', 'fsync=off', '-c', 'max_connections=200'])
    // SIGTERM would wait for connections to end.
    return { stop: () => server.stop('SIGINT') }
  },
}

/**
 * Starts PostgreSQL, whose user `postgres` needs no password on this machine. What was started on the same folder before
 * finds its data again. SIGQUIT stops it as a crash does: `pg_ctl stop -m immediate`.
 */
export async function startPostgres({ port, dataDir }: Place, args: readonly string[] = []): Promise<Child> {
  const user = await serverUser('postgres')
  const data = join(dataDir, 'data')
  mkdirSync(dataDir, { recursive: true })
  if (user !== undefined) chownSync(dataDir, user.uid, user.gid)
  if (!existsSync(data)) {
    const init = ['-D', data, '-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync']
    await outputOf(needProgram('initdb'), init, { cwd: dataDir, ...user })
  }
  return await startChild(needProgram('postgres'), {
    args: ['-D', data, '-h', '127.0.0.1', '-p', String(port), '-c', 'unix_socket_directories=', ...args],
    log: join(dataDir, 'postgres.log'),
    isReady: async () => (await postgres.identify(port)) !== undefined,
    cwd: dataDir,
    ...user,
  })
}

export function hasPostgres(): boolean {
  return ['postgres', 'initdb', 'psql'].every((name) => findProgram(name) !== undefined)
}

/** What a statement gives, without headings; `undefined` where the server is not there or refuses us. */
function query(port: number, statement: string): Promise<string | undefined> {
  const login = [
    '-h',
    '127.0.0.1',
    '-p',
    String(port),
    '-U',
    'postgres',
    '-d',
    'postgres',
    '--no-password',
    '--no-psqlrc',
  ]
  return outputIfAny(findProgram('psql'), [...login, '-tAc', statement])
}

import { chownSync } from 'node:fs'
import { join } from 'node:path'
import { startChild } from './child.ts'
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
  isInstalled: () => ['postgres', 'initdb', 'psql'].every((name) => findProgram(name) !== undefined),

  async identify(port) {
    const version = await query(port, 'show server_version')
    return version && `PostgreSQL ${version}`
  },

  async prepare(port) {
    const found = await query(port, `select 1 from pg_database where datname = '${DATABASE}'`)
    if (found === '') await query(port, `create database ${DATABASE}`)
  },

  async start({ port, dataDir }: Place) {
    const user = await serverUser('postgres')
    const data = join(dataDir, 'data')
    if (user !== undefined) chownSync(dataDir, user.uid, user.gid)
    const init = ['-D', data, '-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync']
    await outputOf(needProgram('initdb'), init, { cwd: dataDir, ...user })
    const settings = ['fsync=off', 'max_connections=200', 'unix_socket_directories=']
    const server = await startChild(needProgram('postgres'), {
      args: ['-D', data, '-h', '127.0.0.1', '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
      log: join(dataDir, 'postgres.log'),
      isReady: async () => (await postgres.identify(port)) !== undefined,
      cwd: dataDir,
      ...user,
    })
    // SIGTERM would wait for connections to end.
    return { stop: () => server.stop('SIGINT') }
  },
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

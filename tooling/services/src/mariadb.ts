import { chownSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { startChild, type Child } from './child.ts'
import { findProgram, needProgram, outputIfAny, outputOf } from './programs.ts'
import { serverUser } from './server-user.ts'
import { DATABASE, type Place, type Service } from './service.ts'

export const mariadb: Service = {
  name: 'mariadb',
  variable: 'KEEPSAKE_MYSQL_URL',
  port: 3306,
  ports: 1,
  packages: ['mariadb-server'],
  address: (port) => `mysql://root@127.0.0.1:${port}/${DATABASE}`,
  isInstalled: () => hasMariadb(),

  // MySQL 8 serves as well.
  async identify(port) {
    const version = await query(port, 'select version()')
    if (version === undefined) return undefined
    return version.includes('MariaDB') ? `MariaDB ${version.split('-')[0]}` : `MySQL ${version}`
  },

  async prepare(port) {
    await query(port, `create database if not exists ${DATABASE}`)
  },

  async start(place) {
    const server = await startMariadb(place, ['--innodb-flush-log-at-trx-commit=0'])
    return { stop: () => server.stop() }
  },
}

/**
 * Starts MariaDB, whose user `root` needs no password on this machine. What was started on the same folder before finds its
 * data again.
 */
export async function startMariadb({ port, dataDir }: Place, args: readonly string[] = []): Promise<Child> {
  const user = await serverUser('mysql')
  const data = join(dataDir, 'data')
  mkdirSync(dataDir, { recursive: true })
  if (user !== undefined) chownSync(dataDir, user.uid, user.gid)
  if (!existsSync(data)) {
    const install = [
      `--datadir=${data}`,
      '--auth-root-authentication-method=normal',
      '--skip-test-db',
      '--skip-name-resolve',
    ]
    await outputOf(needProgram('mariadb-install-db'), ['--no-defaults', ...install], { cwd: dataDir, ...user })
  }
  return await startChild(needProgram('mariadbd'), {
    args: [
      '--no-defaults',
      `--datadir=${data}`,
      `--socket=${join(dataDir, 'socket')}`,
      `--pid-file=${join(dataDir, 'pid')}`,
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      '--skip-name-resolve',
      '--skip-log-bin',
      '--max-allowed-packet=64M',
      ...args,
    ],
    log: join(dataDir, 'mariadb.log'),
    isReady: async () => (await mariadb.identify(port)) !== undefined,
    cwd: dataDir,
    ...user,
  })
}

export function hasMariadb(): boolean {
  return ['mariadbd', 'mariadb-install-db', 'mariadb'].every((name) => findProgram(name) !== undefined)
}

/** What statements give, without headings; `undefined` where the server is not there or refuses us. */
function query(port: number, statements: string): Promise<string | undefined> {
  const login = ['--no-defaults', '--protocol=tcp', '-h', '127.0.0.1', '-P', String(port), '-u', 'root', '--batch']
  return outputIfAny(findProgram('mariadb', 'mysql'), [...login, '--skip-column-names', '-e', statements])
}

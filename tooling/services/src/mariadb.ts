import { chownSync } from 'node:fs'
import { join } from 'node:path'
import { startChild } from './child.ts'
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
  isInstalled: () => ['mariadbd', 'mariadb-install-db', 'mariadb'].every((name) => findProgram(name) !== undefined),

  // MySQL 8 serves as well.
  async identify(port) {
    const version = await query(port, 'select version()')
    if (version === undefined) return undefined
    return version.includes('MariaDB') ? `MariaDB ${version.split('-')[0]}` : `MySQL ${version}`
  },

  async prepare(port) {
    await query(port, `create database if not exists ${DATABASE}`)
  },

  async start({ port, dataDir }: Place) {
    const user = await serverUser('mysql')
    const data = join(dataDir, 'data')
    if (user !== undefined) chownSync(dataDir, user.uid, user.gid)
    const install = [
      `--datadir=${data}`,
      '--auth-root-authentication-method=normal',
      '--skip-test-db',
      '--skip-name-resolve',
    ]
    await outputOf(needProgram('mariadb-install-db'), ['--no-defaults', ...install], { cwd: dataDir, ...user })
    const server = await startChild(needProgram('mariadbd'), {
      args: [
        '--no-defaults',
        `--datadir=${data}`,
        `--socket=${join(dataDir, 'socket')}`,
        `--pid-file=${join(dataDir, 'pid')}`,
        `--port=${port}`,
        '--bind-address=127.0.0.1',
        '--skip-name-resolve',
        '--skip-log-bin',
        '--innodb-flush-log-at-trx-commit=0',
        '--max-allowed-packet=64M',
      ],
      log: join(dataDir, 'mariadb.log'),
      isReady: async () => (await mariadb.identify(port)) !== undefined,
      cwd: dataDir,
      ...user,
    })
    return { stop: () => server.stop() }
  },
}

/** What statements give, without headings; `undefined` where the server is not there or refuses us. */
function query(port: number, statements: string): Promise<string | undefined> {
  const login = ['--no-defaults', '--protocol=tcp', '-h', '127.0.0.1', '-P', String(port), '-u', 'root', '--batch']
  return outputIfAny(findProgram('mariadb', 'mysql'), [...login, '--skip-column-names', '-e', statements])
}

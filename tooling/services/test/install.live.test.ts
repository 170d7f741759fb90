import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { bigtablePackages, startBigtable } from '../bigtable/start-bigtable.ts'
import { allServices } from '../src/all-services.ts'
import { answersGrpc } from '../src/answers-grpc.ts'
import { anyFreePort } from '../src/ports.ts'
import { findProgram, outputIfAny } from '../src/programs.ts'

const run = promisify(execFile)
const LIBRARY = '/usr/share/gocode/src/cloud.google.com/go/bigtable/bttest'

/** Whether apt-get knows where packages are: fresh images have none of its lists. `madison` leaves out what is installed. */
const aptHasLists = Boolean(await outputIfAny(findProgram('apt-cache'), ['madison', 'bash']))

test.skipIf(!aptHasLists)('apt-get finds all that --install would install', async () => {
  const packages = [...new Set(allServices.flatMap((service) => service.packages))]
  expect(packages.toSorted()).toEqual([
    'golang-go',
    'golang-google-cloud-dev',
    'mariadb-server',
    'postgresql',
    'redis-server',
  ])
  const args = ['install', '--simulate', '--no-install-recommends', ...packages]
  // It fails for a package that is not there.
  const { stdout } = await run('apt-get', args, { env: { ...process.env, LC_ALL: 'C' } })
  for (const name of packages) expect(stdout).toMatch(new RegExp(`^(Inst ${name} |${name} is already)`, 'm'))
})

test.skipIf(findProgram('go') === undefined || !existsSync(LIBRARY))(
  `Google's bttest, which takes the emulator's place without a Cloud SDK, is built from ${bigtablePackages.join(' and ')} and answers`,
  { timeout: 300_000 },
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'keepsake-bttest-'))
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
    const port = await anyFreePort()
    const server = await startBigtable({ dataDir, port, engine: 'bttest' })
    onTestFinished(() => server.stop())
    expect(server.engine).toBe('bttest')
    expect(await answersGrpc(port, '/google.bigtable.admin.v2.BigtableTableAdmin/ListTables')).toBe(true)
  },
)

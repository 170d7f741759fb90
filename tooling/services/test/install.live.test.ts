import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { bigtablePackages, startBigtable } from '../bigtable/start-bigtable.ts'
import { allServices } from '../src/all-services.ts'
import { answersGrpc } from '../src/answers-grpc.ts'
import { anyFreePort } from '../src/ports.ts'
import { findProgram, outputIfAny } from '../src/programs.ts'

const run = promisify(execFile)
const LIBRARY = '/usr/share/gocode/src/cloud.google.com/go/bigtable/bttest'

/** Whether apt-get knows packages here: fresh images have none of its lists. */
async function aptKnows(name: string): Promise<boolean> {
  return (await outputIfAny(findProgram('apt-cache'), ['show', name])) !== undefined
}

describe('what --install would install', () => {
  const packages = [...new Set(allServices.flatMap((service) => service.packages))]

  test.skipIf(!(await aptKnows('bash')))('is there: apt-get finds every package and its dependencies', async () => {
    const args = ['install', '--simulate', '--no-install-recommends', ...packages]
    const { stdout } = await run('apt-get', args, { env: { ...process.env, LC_ALL: 'C' } })
    expect(stdout).toContain('Reading package lists')
    expect(packages).toEqual(expect.arrayContaining(['postgresql', 'mariadb-server', 'redis-server', 'golang-go']))
  })
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

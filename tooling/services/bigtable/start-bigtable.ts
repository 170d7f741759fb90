import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, openSync, readFileSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { listens } from '../src/ports.ts'

/** What is installed with apt-get where no Cloud SDK has the emulator. */
export const bigtablePackages: readonly string[] = ['golang-go', 'golang-google-cloud-dev']

export interface BigtableService {
  /** What serves: Google's emulator, or its test server in a program of ours. */
  engine: string
  /** For BIGTABLE_EMULATOR_HOST. */
  host: string
  stop(): Promise<void>
}

export interface StartBigtableOptions {
  /** For the log and the program that is built. The data are in memory. */
  dataDir: string
  port: number
  /** Left out: Google's emulator if the Cloud SDK of this machine has it, else bttest. */
  engine?: 'cbtemulator' | 'bttest'
}

const READY_WITHIN_MS = 15_000

/** Starts Bigtable on 127.0.0.1 and waits until it listens. Throws where no engine is to be had, and says what to install. */
export async function startBigtable({ dataDir, port, engine }: StartBigtableOptions): Promise<BigtableService> {
  mkdirSync(dataDir, { recursive: true })
  if (await listens(port)) throw new Error(`Port ${port} is taken; give Bigtable another.`)
  const emulator = engine === 'bttest' ? undefined : findEmulator()
  if (emulator === undefined && engine === 'cbtemulator')
    throw new Error('The Cloud SDK here has no Bigtable emulator.')
  const program = emulator ?? (await buildServer(dataDir))
  const args = emulator === undefined ? ['-addr', `127.0.0.1:${port}`] : ['-host', '127.0.0.1', '-port', String(port)]
  const log = join(dataDir, 'bigtable.log')
  const output = openSync(log, 'a')
  const child = spawn(program, args, { stdio: ['ignore', output, output] })
  const ended = once(child, 'exit')
  const failure = ended.then(() => Promise.reject(new Error(`Bigtable ended at its start; see ${log}.`)))
  failure.catch(() => {})
  try {
    await Promise.race([untilListening(port), failure])
  } catch (error) {
    await stop(child, ended)
    throw error
  }
  return {
    engine: emulator === undefined ? 'bttest' : 'cbtemulator',
    host: `127.0.0.1:${port}`,
    stop: () => stop(child, ended),
  }
}

async function stop(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
  await ended
}

/** The Cloud SDK is wherever the command `gcloud` leads. */
function findEmulator(): string | undefined {
  const command = onPath('gcloud')
  if (command === undefined) return undefined
  const emulator = join(dirname(dirname(realpathSync(command))), 'platform/bigtable-emulator/cbtemulator')
  return existsSync(emulator) ? emulator : undefined
}

/** Builds the server from main.go beside this file, once for each version of it. */
async function buildServer(dataDir: string): Promise<string> {
  const source = join(import.meta.dirname, 'main.go')
  const version = createHash('sha256').update(readFileSync(source)).digest('hex').slice(0, 12)
  const program = join(dataDir, `bttest-${version}`)
  if (existsSync(program)) return program
  const library = '/usr/share/gocode'
  if (onPath('go') === undefined || !existsSync(join(library, 'src/cloud.google.com/go/bigtable/bttest'))) {
    throw new Error(`Bigtable needs packages of Debian: apt-get install -y ${bigtablePackages.join(' ')}`)
  }
  const env = { ...process.env, GO111MODULE: 'off', GOPATH: `${join(dataDir, 'gopath')}${delimiter}${library}` }
  await promisify(execFile)('go', ['build', '-o', program, source], { env })
  return program
}

function onPath(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
}

async function untilListening(port: number): Promise<void> {
  for (const giveUp = AbortSignal.timeout(READY_WITHIN_MS); !giveUp.aborted; await sleep(50)) {
    if (await listens(port)) return
  }
  throw new Error(`Bigtable did not listen on port ${port} in time.`)
}

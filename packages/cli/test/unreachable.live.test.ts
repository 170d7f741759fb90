import { spawn } from 'node:child_process'
import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { BIN, cleanEnv } from './keepsake.ts'

const SECRET = 'hunter2-k33p'
/** Stores go on trying for 15 seconds. Whoever is not done by then hangs, on whatever machine. */
const TOO_LONG_MS = 120_000
/** From what the command says to its end, on a busy machine. Google's clients would go on for half a minute and more. */
const PROMPT_MS = 15_000

// Google's clients leave timers behind, and look for the metadata server of their cloud.
const NO_GOOGLE = {
  GOOGLE_APPLICATION_CREDENTIALS: join(import.meta.dirname, 'no-such-file.json'),
  FIRESTORE_EMULATOR_HOST: '',
  BIGTABLE_EMULATOR_HOST: '',
}

interface Failed {
  code: number | null
  stdout: string
  error: { code: string; message: string }
  /** How long the process lived on after it had said what is wrong. */
  livedOnMs: number
}

async function failing(args: readonly string[], env: Record<string, string>): Promise<Failed> {
  const child = spawn(process.execPath, [BIN, ...args, '--json'], { cwd: tmpdir(), env: cleanEnv(env) })
  const timer = setTimeout(() => child.kill('SIGKILL'), TOO_LONG_MS)
  let saidAt = 0
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    saidAt = performance.now()
    stderr += part
  })
  const [stdout, [code]] = await Promise.all([text(child.stdout), once(child, 'close') as Promise<[number | null]>])
  const livedOnMs = performance.now() - saidAt
  clearTimeout(timer)
  expect(stderr + stdout).not.toContain(SECRET)
  // One line of JSON and nothing else: no stack, no warning of a client's.
  const { error } = JSON.parse(stderr) as Pick<Failed, 'error'>
  return { code, stdout, error, livedOnMs }
}

type Case = [what: string, uri: string, env: Record<string, string>, says: string]

/** All at once, as each waits for most of its time. */
function expectAll(cases: readonly Case[]): Promise<unknown> {
  const runs = cases.map(async ([what, uri, env, says]) => {
    const { livedOnMs, ...result } = await failing(['verify', '--store', uri], { ...NO_GOOGLE, ...env })
    const error = { code: 'unavailable', message: expect.stringContaining(says) as string }
    expect({ what, ...result }).toMatchObject({ what, code: 1, stdout: '', error })
    expect([what, livedOnMs < PROMPT_MS]).toEqual([what, true])
  })
  return Promise.all(runs)
}

describe.concurrent('a store that cannot be used: the command says what to check, and ends', () => {
  it('where nobody listens', { timeout: TOO_LONG_MS + 10_000 }, async () => {
    const nobody = '127.0.0.1:1'
    await expectAll([
      ['PostgreSQL', `postgres://ada:${SECRET}@${nobody}/app`, {}, 'check that the server runs'],
      ['MySQL', `mysql://ada:${SECRET}@${nobody}/app`, {}, 'check that the server runs'],
      ['Redis', `redis://ada:${SECRET}@${nobody}`, {}, 'Check that it runs'],
      ['Redis Cluster', `redis+cluster://ada:${SECRET}@${nobody}`, {}, 'Check that it runs'],
      ['Firestore', 'firestore://my-project/c', { FIRESTORE_EMULATOR_HOST: nobody }, 'FIRESTORE_EMULATOR_HOST'],
      ['Bigtable', 'bigtable://my-project/i/t', { BIGTABLE_EMULATOR_HOST: nobody }, 'BIGTABLE_EMULATOR_HOST'],
    ])
  })

  it('where nobody answers', { timeout: TOO_LONG_MS + 10_000 }, async ({ onTestFinished }) => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    onTestFinished(() => void silent.close())
    await once(silent, 'listening')
    const host = `127.0.0.1:${(silent.address() as AddressInfo).port}`
    await expectAll([
      ['PostgreSQL', `postgres://ada:${SECRET}@${host}/app`, {}, 'check that the server runs'],
      ['MySQL', `mysql://ada:${SECRET}@${host}/app`, {}, 'check that the server runs'],
      ['Redis', `redis://ada:${SECRET}@${host}`, {}, 'Check that it runs'],
      ['Firestore', 'firestore://my-project/c', { FIRESTORE_EMULATOR_HOST: host }, 'FIRESTORE_EMULATOR_HOST'],
      ['Bigtable', 'bigtable://my-project/i/t', { BIGTABLE_EMULATOR_HOST: host }, 'BIGTABLE_EMULATOR_HOST'],
    ])
  })

  it("without Google's credentials", { timeout: TOO_LONG_MS + 10_000 }, async () => {
    await expectAll([
      ['Firestore', 'firestore://my-project/c', {}, 'Set GOOGLE_APPLICATION_CREDENTIALS'],
      ['Bigtable', 'bigtable://my-project/i/t', {}, 'Set GOOGLE_APPLICATION_CREDENTIALS'],
    ])
  })
})

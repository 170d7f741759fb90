import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { main } from '../src/index.ts'

let told = ''

beforeEach(() => {
  told = ''
  // Whoever runs the tests may ask for colours, or have a store of their own.
  vi.stubEnv('FORCE_COLOR', '0')
  vi.stubEnv('KEEPSAKE_STORE', undefined)
  const tell = (text: unknown): boolean => {
    told += String(text)
    return true
  }
  vi.spyOn(process.stdout, 'write').mockImplementation(tell)
  vi.spyOn(process.stderr, 'write').mockImplementation(tell)
})

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

it('gives the exit code and leaves the process as it was', async () => {
  const listeners = process.listenerCount('SIGINT')
  expect(await main(['verify', '--store', 'memory://'])).toBe(0)
  expect([told, process.exitCode, process.listenerCount('SIGINT')]).toEqual([
    'memory:// is ready for use.\n',
    undefined,
    listeners,
  ])
})

it.each(['entities', 'threads', 'verify', 'doctor', 'export', 'provision'])(
  '%s gives 130 when it is interrupted',
  async (name) => {
    const code = await main([name, '--store', 'memory://'], { signal: AbortSignal.abort() })
    expect([code, told.split('\n').at(-2)]).toEqual([130, 'keepsake: Interrupted.'])
  },
)

it('gives 2 for a wrong command line', async () => {
  expect([await main(['nonsense']), told]).toEqual([2, "keepsake: Unknown command 'nonsense'. Try --help.\n"])
})

// Whatever is said of an address leaves out what may be secret in it.
it.each([
  ['verify'],
  ['verify', '--verbose'],
  ['verify', '--json', '--verbose'],
  ['provision'],
  ['provision', '--down'],
  ['provision', '--print'],
  ['doctor'],
  ['doctor', '--json'],
])('keepsake %s keeps the password to itself', async (...args) => {
  await main([...args, '--store', 'postgres://ada:hunter2@db.example:5432/app?password=hunter2'])
  expect(told).not.toBe('')
  expect(told).not.toContain('hunter2')
})

it('names a server without its secrets', async () => {
  await main(['provision', '--down', '--store', 'postgres://ada:hunter2@db.example:5432/app?password=hunter2'])
  expect(told).toContain('everything that is remembered in postgres://db.example:5432/app.')
})

import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { allServices } from '../src/all-services.ts'
import { findHeld, startHeld, stopHeld } from '../src/held-service.ts'
import { freePorts, listens } from '../src/ports.ts'
import { redis } from '../src/redis.ts'

function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-services-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

describe.each(allServices)('$name', (service) => {
  const installed = service.isInstalled()
  if (!installed && process.env['CI']) throw new Error(`CI must have the programs of ${service.name}.`)

  test.skipIf(!installed)(
    'starts from nothing, answers, is told from the others, and is gone after it was stopped',
    async () => {
      const port = await freePorts(24_000, service.ports)
      const running = await service.start({ port, dataDir: tempFolder() })
      onTestFinished(() => running.stop())
      await service.prepare?.(port)
      await service.prepare?.(port)
      expect(running.engine ?? (await service.identify(port))).toMatch(/\w/)
      expect(await service.identify(port)).toMatch(/^(PostgreSQL|MariaDB|Redis|Firestore|Bigtable)\b/)
      const others = allServices.filter((other) => other !== service)
      expect(await Promise.all(others.map((other) => other.identify(port)))).toEqual(others.map(() => undefined))
      await running.stop()
      expect(await listens(port)).toBe(false)
    },
  )
})

test.skipIf(!redis.isInstalled())(
  'a service that was started goes on by itself, is found again, and can be stopped',
  async () => {
    const folder = tempFolder()
    vi.stubEnv('KEEPSAKE_SERVICES_DIR', folder)
    onTestFinished(() => void vi.unstubAllEnvs())
    const held = await startHeld(redis)
    expect(held.engine).toMatch(/^Redis \d/)
    expect(await findHeld(redis)).toEqual(held)
    expect(await redis.identify(held.port)).toBe(held.engine)
    await stopHeld(redis, held)
    expect(await listens(held.port)).toBe(false)
    expect(await findHeld(redis)).toBeUndefined()
    expect(existsSync(join(folder, 'redis'))).toBe(false)
  },
)

test.skipIf(!redis.isInstalled())('a service that cannot start says why', async () => {
  const folder = tempFolder()
  const start = redis.start({ port: 1_000_000, dataDir: folder })
  await expect(start).rejects.toThrow(/redis-server ended at its start. Its log:\n[^]*port/i)
})

test('the command prints addresses that were set as they are, and explains itself', async () => {
  const command = join(import.meta.dirname, '../src/services.ts')
  const run = (args: string[], env: object) =>
    promisify(execFile)(process.execPath, [command, ...args], { env: { ...process.env, ...env } })
  const set = { KEEPSAKE_REDIS_URL: 'redis://:p w@redis.example' }
  expect((await run(['env', 'redis'], set)).stdout).toBe("export KEEPSAKE_REDIS_URL='redis://:p w@redis.example'\n")
  const status = await run(['status', 'redis'], set)
  expect(status.stdout).toContain('by KEEPSAKE_REDIS_URL')
  expect(status.stdout).not.toContain('p w')
  await expect(run(['restart'], {})).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('start|stop|status|env') as string,
  })
})

import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, watch } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { encodeEnvelope, encodeTuple } from '@keepsake/core'
import { describe, expect, it } from 'vitest'
import { BIN, cleanEnv, jsonLines, keepsake, seed, SEED_MS, tempFolder } from './keepsake.ts'

const rec = encodeEnvelope({ value: 'x'.repeat(100), createdAtMs: SEED_MS })

async function seedMany(folder: string, rows: number): Promise<void> {
  await seed(folder, async (store) => {
    await store.write(
      Array.from({ length: rows }, (_, i) => {
        const entity = encodeTuple(['e', String(i % 7)])
        return { entity, key: encodeTuple([String(i)]), seq: 1, rec, updatedAtMs: SEED_MS }
      }),
    )
  })
}

const done = (uri: string): object => ({ store: uri, status: 'provisioned' })

describe('where it runs', () => {
  it('takes the store from --store, else from KEEPSAKE_STORE, else keepsake.db in the current folder', async () => {
    const folder = tempFolder()
    const store = async (args: string[], env?: Record<string, string>): Promise<unknown> =>
      jsonLines((await keepsake(folder, ['provision', '--json', ...args], env)).stdout)[0]
    expect(await store([])).toEqual(done('sqlite:keepsake.db'))
    expect(await store([], { KEEPSAKE_STORE: '' })).toEqual(done('sqlite:keepsake.db'))
    expect(await store([], { KEEPSAKE_STORE: 'sqlite:env.db' })).toEqual(done('sqlite:env.db'))
    expect(await store(['--store', 'sqlite:given.db'], { KEEPSAKE_STORE: 'sqlite:env.db' })).toEqual(
      done('sqlite:given.db'),
    )
    expect(['keepsake.db', 'env.db', 'given.db'].map((name) => existsSync(join(folder, name)))).toEqual([
      true,
      true,
      true,
    ])
  })

  it('takes options before and after the command, and names after --', async () => {
    const folder = tempFolder()
    mkdirSync(join(folder, 'sub'))
    await seed(folder, async (store) => {
      await store.write([
        { entity: encodeTuple(['--json']), key: encodeTuple(['-k']), seq: 1, rec, updatedAtMs: SEED_MS },
      ])
    })
    const before = await keepsake(join(folder, 'sub'), ['--store', 'sqlite:../keepsake.db', '--json', 'entities'])
    const after = await keepsake(join(folder, 'sub'), ['entities', '--json', '--store', 'sqlite:../keepsake.db'])
    expect([before.stdout, after]).toEqual(['{"entity":["--json"]}\n', before])
    const dashes = await keepsake(folder, ['get', '--', '--json', '-k'])
    expect([dashes.code, dashes.stdout.slice(0, 17)]).toEqual([0, 'entity   --json\nk'])
    const missing = await keepsake(folder, ['get', '--', '--json', '-x'])
    expect([missing.code, missing.stderr.slice(0, 10)]).toEqual([3, 'keepsake: '])
  })

  it('loads neither core nor a store for help', async () => {
    const folder = tempFolder()
    const hooks = `
      import { registerHooks } from 'node:module'
      const loaded = []
      registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context) } })
      process.on('exit', () => process.stderr.write(JSON.stringify(loaded)))`
    const loader = `data:text/javascript,${encodeURIComponent(hooks)}`
    const child = spawn(process.execPath, ['--import', loader, BIN, '--help'], { cwd: folder, env: cleanEnv() })
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
    const loaded = JSON.parse(stderr) as string[]
    expect(stdout).toMatch(/^Usage: keepsake /)
    expect(loaded).toContain(pathToFileURL(join(BIN, '../main.ts')).href)
    expect(loaded.filter((url) => /\/packages\/(core|open|store-sql)\/|kysely|node:sqlite/.test(url))).toEqual([])
  })
})

describe('what it shares a terminal with', () => {
  it('writes colours only where they are wanted', async () => {
    const folder = tempFolder()
    await keepsake(folder, ['provision'])
    const outputs = async (env: Record<string, string>): Promise<string> => {
      const doctor = await keepsake(folder, ['doctor'], env)
      const failure = await keepsake(folder, ['ls', 'nobody'], env)
      return doctor.stdout + failure.stderr
    }
    expect(await outputs({})).not.toContain('\u001b')
    expect(await outputs({ FORCE_COLOR: '1' })).toContain('\u001b[32mok  \u001b[39m  Node')
    expect(await outputs({ FORCE_COLOR: '0' })).not.toContain('\u001b')
  })

  it('ends quietly when its reader has enough', async () => {
    const folder = tempFolder()
    await seedMany(folder, 5000)
    const child = spawn(process.execPath, [BIN, 'export'], { cwd: folder, env: cleanEnv() })
    const stderr = text(child.stderr)
    const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
    child.stdout.once('data', () => child.stdout.destroy())
    expect([await closed, await stderr]).toEqual([0, ''])
  })

  it('is interrupted by Ctrl-C, and can go on', async () => {
    const folder = tempFolder()
    await seedMany(folder, 50_000)
    const child = spawn(process.execPath, [BIN, 'export', '--out', 'all.jsonl'], { cwd: folder, env: cleanEnv() })
    const output = Promise.all([text(child.stdout), text(child.stderr)])
    const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
    const watcher = watch(folder, (_, name) => {
      if (name !== 'all.jsonl.partial') return
      // Once: the file changes more often, and a second Ctrl-C ends the process at once, as people expect.
      watcher.close()
      child.kill('SIGINT')
    })
    const code = await closed
    expect([code, ...(await output)]).toEqual([
      5,
      '',
      'keepsake: Interrupted. What was written is in all.jsonl.partial: go on with the same command and --resume.\n',
    ])
    expect(existsSync(join(folder, 'all.jsonl'))).toBe(false)

    const resumed = await keepsake(folder, ['export', '--out', 'all.jsonl', '--resume'])
    expect([resumed.code, resumed.stderr]).toEqual([0, ''])
    const keys = jsonLines(readFileSync(join(folder, 'all.jsonl'), 'utf8')).map(
      (row) => (row as { key: string[] }).key[0],
    )
    expect(new Set(keys).size).toBe(50_000)
    expect(keys).toHaveLength(50_000)
  })
})

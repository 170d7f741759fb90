import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { migrationMark, type Row, type RowStore } from '@keepsake/core'
import { openStore } from '@keepsake/open'
import { postgresStore } from '@keepsake/store-sql/postgres'
import { describe, expect, it, onTestFinished } from 'vitest'
import { BIN, cleanEnv, jsonLines, keepsake, tempFolder } from './keepsake.ts'
import { serverUrl } from '@keepsake/services'
import { storedRows } from './stored-rows.ts'

/** Half a minute for each target; KEEPSAKE_MIGRATE_ROWS=20000 is quicker. */
const ROWS = Number(process.env['KEEPSAKE_MIGRATE_ROWS'] ?? 100_000)
const TIMEOUT_MS = 120_000 + ROWS * 2

/** Addresses of places that nobody else uses: a database of Redis, a schema of PostgreSQL. */
const TARGETS: Record<string, (url: string) => Promise<string>> = {
  KEEPSAKE_REDIS_URL: async (url) => Object.assign(new URL(url), { pathname: '/14' }).href,
  async KEEPSAKE_POSTGRES_URL(url) {
    const schema = 'keepsake_moving'
    await using store = postgresStore({ url, schema })
    await store.provision()
    const address = new URL(url)
    address.searchParams.set('options', `-csearch_path=${schema}`)
    return address.href
  },
}

/** Many rows of 200 bytes, some of them larger, removed or expired. */
async function fill(path: string, count: number): Promise<void> {
  await using store = await openStore(`sqlite:${path}`)
  for (let from = 0; from < count; from += 5000) {
    const rows = Array.from({ length: Math.min(5000, count - from) }, (_, j): Row => {
      const i = from + j
      const bytes = i % 4000 === 7 ? 300_000 : i % 10 === 3 ? 0 : 200
      const rec = new Uint8Array(bytes).fill(i)
      const row = { entity: `entity ${i % 100}`, key: `key ${i}`, seq: i, rec, updatedAtMs: i }
      return i % 10 === 4 ? { ...row, expiresAtMs: i } : row
    })
    await store.write(rows)
  }
}

async function emptyTarget(uri: string): Promise<RowStore> {
  const store = await openStore(uri)
  onTestFinished(async () => {
    await store.provision({ down: true })
    await store.close()
  })
  await store.provision({ down: true })
  await store.provision()
  return store
}

const start = (folder: string, args: readonly string[]): ChildProcess =>
  spawn(process.execPath, [BIN, ...args], { cwd: folder, env: cleanEnv(), stdio: 'ignore' })

for (const [variable, addressIn] of Object.entries(TARGETS)) {
  const url = await serverUrl(variable)
  if (url === undefined) {
    it.skip(`moving from SQLite: ${variable} is not set`, () => {})
    continue
  }
  const to = await addressIn(url)
  describe(`from SQLite to ${new URL(to).protocol}`, () => {
    it(
      `moves ${ROWS} rows, killed twice on the way`,
      async () => {
        const folder = tempFolder()
        await fill(join(folder, 'old.db'), ROWS)
        const target = await emptyTarget(to)
        const args = ['migrate', 'sqlite:old.db', to]
        for (const part of [0.2, 0.5]) {
          const child = start(folder, args)
          const ended = once(child, 'exit')
          while (((await migrationMark(target))?.done ?? 0) < ROWS * part);
          child.kill('SIGKILL')
          expect(await ended).toEqual([null, 'SIGKILL'])
          // It died in the middle of the first pass.
          expect(await migrationMark(target)).toMatchObject({
            pass: 1,
            after: { entity: expect.any(String) as string },
          })
        }
        const { done } = (await migrationMark(target))!
        const last = await keepsake(folder, [...args, '--json'])
        expect([last.code, last.stderr]).toEqual([0, ''])
        const [{ copied, ...result }] = jsonLines(last.stdout) as [{ copied: number }]
        expect(result).toMatchObject({ passes: 2, removed: 0, newer: 0 })
        // What was copied before is not copied again, but for what was on its way when it was killed.
        expect(copied).toBeLessThanOrEqual(ROWS - done)
        const final = await keepsake(folder, [...args, '--final', '--json'])
        expect(jsonLines(final.stdout)).toMatchObject([{ status: 'moved', passes: 1, copied: 0, removed: 0, newer: 0 }])
        const verified = await keepsake(folder, [...args, '--verify', '--json'])
        expect(jsonLines(verified.stdout)).toMatchObject([
          { status: 'same', rows: ROWS, missing: 0, different: 0, extra: 0 },
        ])
        await using source = await openStore(`sqlite:${join(folder, 'old.db')}`)
        expect(await storedRows(target)).toEqual(await storedRows(source))
        expect(await migrationMark(target)).toBeUndefined()
      },
      TIMEOUT_MS,
    )

    it('takes no row back while the source is written to, and ends with the last of each', async () => {
      const folder = tempFolder()
      const path = join(folder, 'old.db')
      await fill(path, 3000)
      const target = await emptyTarget(to)
      const writer = spawn(process.execPath, [
        fileURLToPath(new URL('programs/keep-writing.ts', import.meta.url)),
        path,
      ])
      const [written, errors] = [text(writer.stdout), text(writer.stderr)]
      await using source = await openStore(`sqlite:${path}`)
      const ids = Array.from({ length: 50 }, (_, i) => ({ entity: `w${i % 5}`, key: `${i}` }))
      // On a machine that has much else to do the migration could be over before the writer has begun.
      const rowsThere = async (): Promise<number> => (await source.load(ids)).filter((row) => row !== undefined).length
      await expect.poll(rowsThere, { timeout: TIMEOUT_MS / 2 }).toBe(50)
      const migration = start(folder, ['migrate', 'sqlite:old.db', to])
      const ended = once(migration, 'exit')
      let before = ids.map(() => -1)
      while (migration.exitCode === null) {
        const seqs = (await target.load(ids)).map((row) => row?.seq ?? -1)
        expect(seqs.filter((seq, i) => seq < before[i]!)).toEqual([])
        before = seqs
      }
      expect(await ended).toEqual([0, null])
      // They were met while they changed.
      expect(Math.max(...before)).toBeGreaterThan(1)

      writer.stdin.end()
      const last = Number(await written)
      expect([await errors, last]).toEqual(['', expect.any(Number) as number])
      expect(last).toBeGreaterThan(Math.max(...before) - 1)
      const final = await keepsake(folder, ['migrate', 'sqlite:old.db', to, '--final', '--json'])
      expect(jsonLines(final.stdout)).toMatchObject([{ status: 'moved', newer: 0 }])
      expect((await target.load(ids)).map((row) => row?.seq)).toEqual(ids.map(() => last))
      expect(await storedRows(target)).toEqual(await storedRows(source))
    })
  })
}

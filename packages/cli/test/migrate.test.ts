import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { encodeTuple, migrationMark, walkEntities, walkRows, type Row, type RowStore } from '@keepsake/core'
import { openStore } from '@keepsake/open'
import { describe, expect, it } from 'vitest'
import { BIN, cleanEnv, jsonLines, keepsake, SEED_MS, tempFolder, type Result } from './keepsake.ts'

const FROM = 'sqlite:old.db'
const TO = 'sqlite:new.db'

function row(entity: string[], key: string, seq = 1): Row {
  return { entity: encodeTuple(entity), key, seq, rec: new TextEncoder().encode(`${key} ${seq}`), updatedAtMs: SEED_MS }
}

const manyRows = (count: number): Row[] =>
  Array.from({ length: count }, (_, i) => row(['e', String(i % 7)], String(i).padStart(6, '0')))

async function within<T>(folder: string, uri: string, work: (store: RowStore) => Promise<T>): Promise<T> {
  await using store = await openStore(uri.replace('sqlite:', `sqlite:${folder}/`))
  return await work(store)
}

async function allRows(store: RowStore): Promise<Row[]> {
  const rows: Row[] = []
  for await (const entity of walkEntities(store)) for await (const one of walkRows(store, entity)) rows.push(one)
  return rows
}

/** A folder with `old.db`, which has the rows, and `new.db`, which is empty. */
async function twoStores(rows: readonly Row[]): Promise<string> {
  const folder = tempFolder()
  await within(folder, FROM, async (store) => void (await store.write(rows)))
  await within(folder, TO, (store) => store.provision())
  return folder
}

const migrate = (folder: string, ...options: string[]): Promise<Result> =>
  keepsake(folder, ['migrate', FROM, TO, ...options])

describe('keepsake migrate', () => {
  it('copies, says what comes next, finishes and compares', async () => {
    const folder = await twoStores([...manyRows(30), row(['__proto__', '%'], '')])
    const copied = {
      code: 0,
      stdout:
        'Copied 31 rows in 2 passes; the last found nothing newer. Stop all who write, then repeat the command with --final.\n',
      stderr: '',
    }
    expect(await migrate(folder)).toEqual(copied)
    await within(folder, FROM, async (store) => {
      await store.write([row(['e', '0'], '000000', 2)])
      await store.remove([{ entity: encodeTuple(['e', '1']), key: '000001' }])
    })
    expect(await migrate(folder, '--verify')).toEqual({
      code: 1,
      stdout: 'Of 30 rows 0 are missing and 1 different; 1 more are only in sqlite:new.db.\n',
      stderr: 'keepsake: The two stores do not have the same rows.\n',
    })
    expect(await migrate(folder, '--final')).toEqual({
      code: 0,
      stdout: 'Copied 1 row in 2 passes, removed 1. sqlite:new.db has what sqlite:old.db has: start on it now.\n',
      stderr: '',
    })
    expect(await migrate(folder, '--verify')).toEqual({
      code: 0,
      stdout: 'sqlite:new.db has the 30 rows of sqlite:old.db, all the same.\n',
      stderr: '',
    })
    expect(await within(folder, TO, allRows)).toEqual(await within(folder, FROM, allRows))
  })

  it('tells machines', async () => {
    const folder = await twoStores(manyRows(3))
    const names = { from: FROM, to: TO }
    const results = { passes: 2, copied: 3, removed: 0, newer: 0 }
    expect(jsonLines((await migrate(folder, '--json')).stdout)).toEqual([{ ...names, status: 'copied', ...results }])
    await within(folder, FROM, (store) => store.write([row(['e', '9'], 'late')]))
    const differs = await migrate(folder, '--verify', '--json')
    const compared = { ...names, rows: 4, missing: 1, different: 0, extra: 0 }
    expect(jsonLines(differs.stdout)).toEqual([{ ...compared, status: 'different' }])
    expect([differs.code, jsonLines(differs.stderr)]).toEqual([
      1,
      [{ error: { code: 'failed', message: 'The two stores do not have the same rows.', details: {} } }],
    ])
    expect(jsonLines((await migrate(folder, '--final', '--json')).stdout)).toEqual([
      { ...names, status: 'moved', ...results, copied: 1 },
    ])
    expect(jsonLines((await migrate(folder, '--verify', '--json')).stdout)).toEqual([
      { ...compared, status: 'same', missing: 0 },
    ])
  })

  it('knows its source again by another path, and refuses another one', async () => {
    const folder = await twoStores(manyRows(3))
    await migrate(folder)
    const again = await keepsake(folder, ['migrate', `file://${join(folder, 'old.db')}`, TO])
    expect([again.code, again.stdout]).toEqual([0, expect.stringMatching(/^Copied 0 rows in 1 pass;/) as string])
    await within(folder, 'sqlite:other.db', (store) => store.write(manyRows(1)))
    const other = await keepsake(folder, ['migrate', 'sqlite:other.db', TO, '--final'])
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('from another source') as string])
    expect(await within(folder, TO, (store) => migrationMark(store))).toMatchObject({ rows: 3 })
  })

  it('moves nothing into a store that has rows of its own', async () => {
    const folder = await twoStores(manyRows(3))
    const theirs = row(['theirs'], 'k')
    await within(folder, TO, (store) => store.write([theirs]))
    const { code, stdout, stderr } = await migrate(folder)
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('The target has rows') as string])
    expect(await within(folder, TO, allRows)).toEqual([theirs])
  })

  it('names records that are too large, and writes nothing', async () => {
    const folder = await twoStores([row(['e'], 'k')])
    // The store itself takes no such record.
    const database = new DatabaseSync(join(folder, 'old.db'))
    database.exec("UPDATE keepsake_rows SET rec = zeroblob(4194305), key = key || char(27) WHERE key = 'k'")
    database.close()
    const { code, stdout, stderr } = await migrate(folder)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toBe(
      String.raw`e  "k\u001b"  4.2 MB: too large` +
        "\nkeepsake: 1 of the source's 1 records is larger than the 4194304 bytes that the target takes; the largest has 4194305. Nothing was written.\n",
    )
    const json = await migrate(folder, '--json')
    expect(jsonLines(json.stderr)).toMatchObject([
      { error: { code: 'too_large', details: { records: 1, largestBytes: 4194305, maxBytes: 4194304 } } },
    ])
    expect(await within(folder, TO, allRows)).toEqual([])
  })

  it.each([
    [TO, 'sqlite:no.db', 'no.db'],
    ['sqlite:no.db', TO, 'no.db'],
  ])('from %s to %s says which one is not there, and creates none', async (from, to, missing) => {
    const folder = await twoStores(manyRows(1))
    const before = readdirSync(folder).filter((name) => name.endsWith('.db'))
    const { code, stderr } = await keepsake(folder, ['migrate', from, to])
    expect([code, stderr]).toEqual([
      4,
      `keepsake: sqlite:${missing}: There is no file ${join(folder, missing)}. If the path is right, \`keepsake provision --store sqlite:${missing}\` creates it.\n`,
    ])
    expect(readdirSync(folder).filter((name) => name.endsWith('.db'))).toEqual(before)
  })

  it.each([
    ['cassandra://ada:hunter2@h', TO],
    [FROM, 'cassandra://ada:hunter2@h'],
    ['redis://ada:hunter2@h:1', 'redis://ada:hunter2@h:1'],
    [FROM, 'redis://ada:hunter2@h:port'],
    ['memory://', 'redis://ada:hunter2@h:1'],
  ])('never shows the password of %s, %s', async (from, to) => {
    const folder = await twoStores([])
    const { code, stdout, stderr } = await keepsake(folder, ['migrate', from, to, '--verbose'])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).not.toContain('hunter2')
  })
})

describe('a migration that is stopped', () => {
  it('by Ctrl-C exits with 5 and goes on with the same command', async () => {
    const folder = await twoStores(manyRows(30_000))
    const child = spawn(process.execPath, [BIN, 'migrate', FROM, TO], { cwd: folder, env: cleanEnv() })
    const output = Promise.all([text(child.stdout), text(child.stderr)])
    const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
    await within(folder, TO, async (store) => {
      while (((await migrationMark(store))?.done ?? 0) < 4000);
    })
    child.kill('SIGINT')
    expect([await closed, ...(await output)]).toEqual([5, '', 'keepsake: Interrupted. Go on with the same command.\n'])
    const mark = await within(folder, TO, (store) => migrationMark(store))
    expect(mark).toMatchObject({ pass: 1, rows: 30_000 })
    expect(mark!.done).toBeLessThan(30_000)

    const { code, stdout } = await migrate(folder, '--final', '--json')
    const [result] = jsonLines(stdout) as { copied: number }[]
    expect([code, result!.copied]).toEqual([0, expect.any(Number) as number])
    expect(result!.copied).toBeLessThanOrEqual(30_000 - mark!.done)
    expect(jsonLines((await migrate(folder, '--verify', '--json')).stdout)).toMatchObject([
      { rows: 30_000, status: 'same' },
    ])
  })
})

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { encodeTuple } from '@keepsake/core'
import { describe, expect, it } from 'vitest'
import { jsonLines, keepsake, seed, tempFolder } from './keepsake.ts'

function tablesOf(path: string): string[] {
  const database = new DatabaseSync(path)
  const rows = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all()
  database.close()
  return rows.map(({ name }) => name as string)
}

const OURS = ['keepsake_rows', 'keepsake_rows_migrations']

describe('looking creates nothing', () => {
  it.each([
    [['entities']],
    [['ls', 'a']],
    [['get', 'a', 'b']],
    [['threads']],
    [['thread', 'show', 't']],
    [['records', 'ada']],
    [['reindex']],
    [['verify']],
    [['export']],
    [['export', '--out', 'all.jsonl']],
    [['import', 'all.jsonl']],
    [['provision', '--down', '--yes']],
  ])('keepsake %j on a file that is not there', async (args) => {
    const folder = tempFolder()
    const path = join(folder, 'keepsake.db')
    expect(await keepsake(folder, args)).toEqual({
      code: 4,
      stdout: '',
      stderr: `keepsake: There is no file ${path}. If the path is right, \`keepsake provision\` creates it.\n`,
    })
    expect(readdirSync(folder)).toEqual([])
  })

  it.each([[['entities']], [['threads']], [['verify']]])(
    "keepsake %j on another application's database",
    async (args) => {
      const folder = tempFolder()
      const database = new DatabaseSync(join(folder, 'keepsake.db'))
      database.exec('CREATE TABLE theirs (x)')
      database.close()
      const { code, stdout, stderr } = await keepsake(folder, args)
      expect([code, stdout]).toEqual([4, ''])
      expect(stderr).toContain('has no tables of Keepsake. Run `keepsake provision`')
      expect(tablesOf(join(folder, 'keepsake.db'))).toEqual(['theirs'])
    },
  )

  it('names the store of the command line in its advice', async () => {
    const folder = tempFolder()
    const advice = async (uri: string): Promise<string> =>
      /`keepsake provision[^`]*`/.exec((await keepsake(folder, ['verify', '--store', uri])).stderr)![0]
    expect(await advice('sqlite:my.db')).toBe('`keepsake provision --store sqlite:my.db`')
    expect(await advice("sqlite:it's.db")).toBe(String.raw`${'`'}keepsake provision --store 'sqlite:it'\''s.db'${'`'}`)
  })

  it('tells machines', async () => {
    const folder = tempFolder()
    const { code, stdout, stderr } = await keepsake(folder, ['entities', '--json'])
    expect([code, stdout]).toEqual([4, ''])
    expect(JSON.parse(stderr)).toEqual({
      error: {
        code: 'not_provisioned',
        message: expect.stringContaining('There is no file') as string,
        details: { path: join(folder, 'keepsake.db') },
      },
    })
  })
})

describe('keepsake provision', () => {
  it('makes the tables, and may be repeated', async () => {
    const folder = tempFolder()
    const done = { code: 0, stdout: 'sqlite:app.db is provisioned.\n', stderr: '' }
    expect(await keepsake(folder, ['provision', '--store', 'sqlite:app.db'])).toEqual(done)
    expect(await keepsake(folder, ['provision', '--store', 'sqlite:app.db'])).toEqual(done)
    expect(tablesOf(join(folder, 'app.db'))).toEqual(OURS)
    expect(await keepsake(folder, ['verify', '--store', 'sqlite:app.db'])).toEqual({
      code: 0,
      stdout: 'sqlite:app.db is ready for use.\n',
      stderr: '',
    })
  })

  it('answers machines', async () => {
    const folder = tempFolder()
    const { stdout } = await keepsake(folder, ['provision', '--json'])
    expect(jsonLines(stdout)).toEqual([{ store: 'sqlite:keepsake.db', status: 'provisioned' }])
    const verified = await keepsake(folder, ['verify', '--json'])
    expect(jsonLines(verified.stdout)).toEqual([{ store: 'sqlite:keepsake.db', ok: true }])
  })

  it('takes everything away only when told twice', async () => {
    const folder = tempFolder()
    await seed(folder, async (store) => {
      await store.write([{ entity: encodeTuple(['e']), key: 'k', seq: 1, rec: new Uint8Array([1]), updatedAtMs: 1 }])
    })
    const refused = await keepsake(folder, ['provision', '--down'])
    expect([refused.code, tablesOf(join(folder, 'keepsake.db'))]).toEqual([2, OURS])
    expect(await keepsake(folder, ['provision', '--down', '--yes'])).toEqual({
      code: 0,
      stdout: 'The tables are gone from sqlite:keepsake.db.\n',
      stderr: '',
    })
    expect(tablesOf(join(folder, 'keepsake.db'))).toEqual([])
  })

  it.each<[args: string[], message: string]>([
    [['--to', '99'], 'to must be a schema version'],
    [['--to', '0'], 'going back to 0 drops tables and their rows'],
  ])('%j is a usage error', async (args, message) => {
    const folder = tempFolder()
    await keepsake(folder, ['provision'])
    const { code, stdout, stderr } = await keepsake(folder, ['provision', ...args])
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(message) as string])
    expect(tablesOf(join(folder, 'keepsake.db'))).toEqual(OURS)
  })

  it('prints SQL that does the same', async () => {
    const folder = tempFolder()
    const { code, stdout, stderr } = await keepsake(folder, ['provision', '--print'])
    expect([code, stderr, readdirSync(folder)]).toEqual([0, '', []])
    expect(stdout).toMatch(/^-- 1 rows\nCREATE TABLE /)
    const database = new DatabaseSync(join(folder, 'keepsake.db'))
    database.exec(stdout)
    database.close()
    expect((await keepsake(folder, ['verify'])).code).toBe(0)

    const down = await keepsake(folder, ['provision', '--print', '--down'])
    const again = new DatabaseSync(join(folder, 'keepsake.db'))
    again.exec(down.stdout)
    again.close()
    expect(tablesOf(join(folder, 'keepsake.db'))).toEqual([])
  })

  it('prints only the steps that were asked for', async () => {
    const folder = tempFolder()
    expect((await keepsake(folder, ['provision', '--print', '--to', '0'])).stdout).toBe('')
    expect((await keepsake(folder, ['provision', '--print', '--down', '--to', '1'])).stdout).toBe('')
    const { stdout } = await keepsake(folder, ['provision', '--print', '--json'])
    expect(jsonLines(stdout)).toEqual([{ version: 1, name: 'rows', sql: expect.any(Array) as string[] }])
  })
})

describe('a file that is no database', () => {
  it('fails, without a stack unless it is asked for', async () => {
    const folder = tempFolder()
    writeFileSync(
      join(folder, 'keepsake.db'),
      'this is some text, and long enough to be no header of a database at all',
    )
    const { code, stdout, stderr } = await keepsake(folder, ['verify'])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^keepsake: .*keepsake\.db.*\n$/)
    const verbose = await keepsake(folder, ['verify', '--verbose'])
    expect(verbose.stderr).toMatch(/^ {4}at .*$/m)
    const json = await keepsake(folder, ['verify', '--verbose', '--json'])
    expect(JSON.parse(json.stderr)).toEqual({
      error: {
        code: expect.any(String) as string,
        message: stderr.slice('keepsake: '.length, -1),
        details: expect.any(Object) as object,
        stack: expect.stringContaining('    at ') as string,
      },
    })
    expect(readFileSync(join(folder, 'keepsake.db'), 'utf8')).toMatch(/^this is some text/)
  })
})

import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { encodeEnvelope, encodeTuple, walkEntities, walkRows, type Row } from '@keepsake/core'
import { openStore } from '@keepsake/open'
import { describe, expect, it } from 'vitest'
import { exportedRow } from '../src/row-json.ts'
import { jsonLine } from '../src/safe-text.ts'
import { BIN, cleanEnv, jsonLines, keepsake, seed, SEED_MS, tempFolder, type Result } from './keepsake.ts'

const encode = (value: never): Uint8Array => encodeEnvelope({ value, createdAtMs: SEED_MS, owner: ['ada'] })

function row(entity: string, key: string, rest: Partial<Row> = {}): Row {
  return { entity, key, seq: 3, rec: encode(key as never), updatedAtMs: SEED_MS, ...rest }
}

// All that an export may hold, in order.
const ROWS: Row[] = [
  row('', ''),
  row('__proto__', 'constructor', { rec: encode(JSON.parse('{"__proto__":{"a":1},"1":2,"b":-0}') as never) }),
  row('a', 'expired', { expiresAtMs: 0, updatedAtMs: 0, seq: 0 }),
  row('a', 'tombstone', { rec: new Uint8Array(), seq: 9_006_099_743_113_215 }),
  row('a', 'unreadable', { rec: Uint8Array.of(255, 0, 10, 13) }),
  row('a', 'zero', { rec: encode([-0, 0, 1e308, 5e-324, '\ud800', '\u2028\n\r\u0000', new Uint8Array(3)] as never) }),
  row('raw\u009b\u2028', '\u{1f600}\uffff'),
  row(encodeTuple(['thread', 'a\0b']), encodeTuple(['', '/'])),
]

async function rowsOf(uri: string): Promise<Row[]> {
  await using store = await openStore(uri)
  const rows: Row[] = []
  for await (const entity of walkEntities(store)) for await (const one of walkRows(store, entity)) rows.push(one)
  return rows
}

/** A folder with `keepsake.db`, the lines of its export in `all.jsonl`, and an empty `new.db`. */
async function exported(rows = ROWS): Promise<{ folder: string; target: string; lines: string[] }> {
  const folder = tempFolder()
  await seed(folder, async (store) => void (await store.write(rows)))
  const lines = rows.map((one) => jsonLine(exportedRow(one)))
  writeFileSync(join(folder, 'all.jsonl'), `${lines.join('\n')}\n`)
  const target = `sqlite:${join(folder, 'new.db')}`
  await using store = await openStore(target)
  await store.provision()
  return { folder, target, lines }
}

async function importFrom(folder: string, input: string, args: string[] = []): Promise<Result> {
  const child = spawn(process.execPath, [BIN, 'import', '-', '--store', 'sqlite:new.db', ...args], {
    cwd: folder,
    env: cleanEnv(),
  })
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  child.stdin.end(input)
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), closed])
  return { code, stdout, stderr }
}

describe('keepsake import', () => {
  it('gives back what was exported: every byte, version and time', async () => {
    const { folder, target, lines } = await exported()
    expect((await keepsake(folder, ['export'])).stdout).toBe(`${lines.join('\n')}\n`)
    expect(await keepsake(folder, ['import', 'all.jsonl', '--store', 'sqlite:new.db'])).toEqual({
      code: 0,
      stdout: 'Read 8 rows from all.jsonl, and wrote them.\n',
      stderr: '',
    })
    expect(await rowsOf(target)).toEqual(ROWS)
  })

  it('may be repeated, and leaves what is newer', async () => {
    const { folder, target } = await exported()
    await keepsake(folder, ['import', 'all.jsonl', '--store', 'sqlite:new.db'])
    const newer = row('', '', { seq: 4, rec: encode('newer' as never) })
    {
      await using store = await openStore(target)
      await store.write([newer, row('theirs', 'k')])
    }
    const again = await keepsake(folder, ['import', 'all.jsonl', '--store', 'sqlite:new.db'])
    expect([again.code, again.stdout]).toEqual([
      0,
      'Read 8 rows from all.jsonl, and wrote 7: of the others, what is stored is newer.\n',
    ])
    const json = await keepsake(folder, ['import', 'all.jsonl', '--store', 'sqlite:new.db', '--json'])
    expect(jsonLines(json.stdout)).toEqual([{ file: 'all.jsonl', rows: 8, applied: 7, stale: 1 }])
    expect((await rowsOf(target)).filter(({ entity }) => entity !== 'theirs')).toEqual([newer, ...ROWS.slice(1)])
  })

  it('reads standard input, lines of Windows, empty ones and a last one without an end', async () => {
    const { folder, target, lines } = await exported()
    const { code, stdout, stderr } = await importFrom(folder, `\ufeff${lines.join('\r\n\r\n\n')}`)
    expect([code, stdout, stderr]).toEqual([0, 'Read 8 rows from standard input, and wrote them.\n', ''])
    expect(await rowsOf(target)).toEqual(ROWS)
  })

  it('reads nothing from an empty file', async () => {
    const { folder } = await exported()
    const { code, stdout } = await importFrom(folder, '')
    expect([code, stdout]).toEqual([0, 'Read 0 rows from standard input, and wrote them.\n'])
  })

  it('reads many rows, larger than what is written at once', async () => {
    const rows = Array.from({ length: 1203 }, (_, i) => row('e', String(i).padStart(4, '0')))
    const large = row('f', 'large', { rec: encode('x'.repeat(4_000_000) as never) })
    const { folder, target } = await exported([...rows, large])
    const { code } = await keepsake(folder, ['import', 'all.jsonl', '--store', 'sqlite:new.db'])
    expect(code).toBe(0)
    const found = await rowsOf(target)
    expect(found.slice(0, -1)).toEqual(rows)
    expect(Buffer.compare(found.at(-1)!.rec, large.rec)).toBe(0)
  })
})

describe('a line that is no row is named, and nothing is imported:', () => {
  it('which one it is, and why', async () => {
    const { folder, target, lines } = await exported([row('a', '1'), row('a', '2'), row('a', '3')])
    lines[1] = lines[1]!.replace('"value":"2"', '"value":"tea"')
    writeFileSync(join(folder, 'all.jsonl'), lines.join('\n'))
    const { code, stdout, stderr } = await keepsake(folder, ['import', 'all.jsonl', '--store', 'sqlite:new.db'])
    expect(stderr).toBe(
      'keepsake: all.jsonl, line 2: value is not what rec holds. Rows are read from rec: values cannot be changed in a file. Nothing was imported.\n',
    )
    expect([code, stdout, await rowsOf(target)]).toEqual([1, '', []])
  })

  it.each([
    ['half a line', Buffer.from('{"entity":["a"')],
    ['Latin-1', Buffer.from('{"entity":"\u00e9"}', 'latin1')],
    ['UTF-16', Buffer.from('{"entity":"a"}', 'utf16le')],
  ])('%s', async (_, bytes) => {
    const { folder, target } = await exported()
    writeFileSync(join(folder, 'all.jsonl'), bytes)
    const { code, stderr } = await keepsake(folder, ['import', 'all.jsonl', '--store', 'sqlite:new.db'])
    expect([code, stderr]).toEqual([1, 'keepsake: all.jsonl, line 1: it is no JSON in UTF-8. Nothing was imported.\n'])
    expect(await rowsOf(target)).toEqual([])
  })

  it('from standard input what stood before it may be imported, and is counted', async () => {
    const rows = Array.from({ length: 700 }, (_, i) => row('e', String(i).padStart(4, '0')))
    const { folder, target, lines } = await exported(rows)
    lines[600] = 'no row'
    const { code, stderr } = await importFrom(folder, lines.join('\n'))
    expect([code, stderr]).toEqual([
      1,
      'keepsake: standard input, line 601: it is no JSON in UTF-8. 500 rows before it were imported.\n',
    ])
    expect(await rowsOf(target)).toEqual(rows.slice(0, 500))
  })
})

describe('keepsake import is refused', () => {
  it('for a file that cannot be read', async () => {
    const { folder } = await exported()
    const missing = await keepsake(folder, ['import', 'no.jsonl', '--store', 'sqlite:new.db'])
    expect([missing.code, missing.stderr]).toEqual([
      1,
      expect.stringMatching(/^keepsake: no\.jsonl cannot be read: ENOENT: /) as string,
    ])
    const directory = await keepsake(folder, ['import', '.', '--store', 'sqlite:new.db'])
    expect([directory.code, directory.stderr]).toEqual([
      1,
      expect.stringMatching(/^keepsake: \. cannot be read: EISDIR: /) as string,
    ])
  })

  it('into a store that is being migrated, whose final pass would remove it', async () => {
    const { folder } = await exported()
    await keepsake(folder, ['migrate', 'sqlite:keepsake.db', 'sqlite:new.db'])
    const { code, stderr } = await keepsake(folder, ['import', 'all.jsonl', '--store', 'sqlite:new.db'])
    expect([code, stderr]).toEqual([
      1,
      'keepsake: sqlite:new.db is being migrated: what is imported now would be removed again. Finish that first.\n',
    ])
  })
})

it('waits for standard input no longer when it is interrupted', async () => {
  const { folder, target, lines } = await exported()
  const child = spawn(process.execPath, [BIN, 'import', '-', '--store', 'sqlite:new.db'], {
    cwd: folder,
    env: cleanEnv(),
  })
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  const stderr = text(child.stderr)
  // A whole pipe full of lines is taken only when the command reads.
  const batch = `${lines.join('\n')}\n`.repeat(500)
  await new Promise((resolve) => child.stdin.write(batch, resolve))
  child.kill('SIGINT')
  expect([await closed, await stderr]).toEqual([
    5,
    'keepsake: Interrupted. Repeat the same command: rows that are stored already do no harm.\n',
  ])
  child.stdin.destroy()
  expect((await rowsOf(target)).length).toBeLessThanOrEqual(8)
})

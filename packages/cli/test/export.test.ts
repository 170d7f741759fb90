import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { encodeEnvelope, encodeTuple, type RowWrite } from '@keepsake/core'
import { describe, expect, it } from 'vitest'
import { jsonLines, keepsake, seed, SEED_MS, tempFolder } from './keepsake.ts'

const envelope = { createdAtMs: SEED_MS, owner: ['ada'] }

function row(entity: string[], key: string, rest: Partial<RowWrite> = {}): RowWrite {
  const rec = encodeEnvelope({ value: key, ...envelope })
  return { entity: encodeTuple(entity), key: encodeTuple([key]), seq: 3, rec, updatedAtMs: SEED_MS, ...rest }
}

/** Five rows of three entities, in the order in which they are exported. */
const ROWS: RowWrite[] = [
  row(['a'], '1', {
    rec: encodeEnvelope({ value: { n: 1.5, bytes: new Uint8Array([255]), $bytes: 'x' }, ...envelope }),
  }),
  row(['a'], '2', { rec: new Uint8Array(), expiresAtMs: SEED_MS + 1 }),
  row(['b', 'c'], '1', { rec: new Uint8Array([0xff, 0]) }),
  row(['b', 'c'], '2', { entity: encodeTuple(['b', 'c']), key: 'raw\u009b', seq: 4 }),
  row(['z'], '\u2028'),
]

const meta = { createdAtMs: SEED_MS, owner: ['ada'] }
const bytesOf = (index: number): object => ({ $bytes: Buffer.from(ROWS[index]!.rec).toString('base64') })
const LINES = [
  {
    entity: ['a'],
    key: ['1'],
    seq: 3,
    updatedAtMs: SEED_MS,
    value: { n: 1.5, bytes: { $bytes: '/w==' }, $$bytes: 'x' },
    meta,
    rec: bytesOf(0),
  },
  {
    entity: ['a'],
    key: ['2'],
    seq: 3,
    updatedAtMs: SEED_MS,
    expiresAtMs: SEED_MS + 1,
    tombstone: true,
    rec: { $bytes: '' },
  },
  {
    entity: ['b', 'c'],
    key: ['1'],
    seq: 3,
    updatedAtMs: SEED_MS,
    unreadable: expect.any(String) as string,
    rec: { $bytes: '/wA=' },
  },
  { entity: ['b', 'c'], key: 'raw\u009b', seq: 4, updatedAtMs: SEED_MS, value: '2', meta, rec: bytesOf(3) },
  { entity: ['z'], key: ['\u2028'], seq: 3, updatedAtMs: SEED_MS, value: '\u2028', meta, rec: bytesOf(4) },
]

async function seeded(): Promise<string> {
  const folder = tempFolder()
  await seed(folder, async (store) => void (await store.write(ROWS)))
  return folder
}

async function interruptedAfter(lines: number, rest = ''): Promise<{ folder: string; whole: string }> {
  const folder = await seeded()
  const whole = (await keepsake(folder, ['export'])).stdout
  const begun = whole.split('\n').slice(0, lines)
  writeFileSync(join(folder, 'all.jsonl.partial'), begun.map((line) => `${line}\n`).join('') + rest)
  return { folder, whole }
}

describe('keepsake export', () => {
  it('writes every row whole, in order, a line each', async () => {
    const folder = await seeded()
    const { code, stdout, stderr } = await keepsake(folder, ['export'])
    expect(jsonLines(stdout)).toEqual(LINES)
    expect([code, stderr]).toEqual([0, ''])
    // Nothing that a terminal or a reader of lines would take for more than text.
    expect(stdout).not.toMatch(/[\u0080-\u009f\u2028]/)
    expect((await keepsake(folder, ['export', '--json'])).stdout).toBe(stdout)
  })

  it('writes one entity, or says that there is none', async () => {
    const folder = await seeded()
    expect(jsonLines((await keepsake(folder, ['export', '--entity', 'b/c'])).stdout)).toEqual(LINES.slice(2, 4))
    expect(await keepsake(folder, ['export', '--entity', 'b', '--out', 'b.jsonl'])).toEqual({
      code: 3,
      stdout: '',
      stderr: 'keepsake: There is no entity b. See them all with: keepsake entities\n',
    })
    expect(readdirSync(folder).filter((name) => name.startsWith('b'))).toEqual([])
  })

  it('writes to a file that appears when it is complete, and replaces one', async () => {
    const folder = await seeded()
    writeFileSync(join(folder, 'all.jsonl'), 'yesterday')
    expect(await keepsake(folder, ['export', '--out', 'all.jsonl'])).toEqual({
      code: 0,
      stdout: 'Wrote 5 rows to all.jsonl.\n',
      stderr: '',
    })
    expect(jsonLines(readFileSync(join(folder, 'all.jsonl'), 'utf8'))).toEqual(LINES)
    expect(readdirSync(folder)).not.toContain('all.jsonl.partial')
    const json = await keepsake(folder, ['export', '--out', 'one.jsonl', '--entity', 'z', '--json'])
    expect(jsonLines(json.stdout)).toEqual([{ file: 'one.jsonl', rows: 1 }])
  })

  it.each([
    ['in a folder that is not there', 'no/all.jsonl', 'no/all.jsonl.partial cannot be written: ENOENT'],
    ['that is a folder', '.', 'EISDIR|ENOTEMPTY|EBUSY|EEXIST'],
  ])('fails for a file %s', async (_, path, message) => {
    const folder = await seeded()
    const { code, stdout, stderr } = await keepsake(folder, ['export', '--out', path])
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(message) as string])
  })
})

it('leaves out the mark of a store that is being migrated, and says that rows may be missing', async () => {
  const folder = await seeded()
  await keepsake(folder, ['provision', '--store', 'sqlite:new.db'])
  await keepsake(folder, ['migrate', 'sqlite:keepsake.db', 'sqlite:new.db'])
  const whole = await keepsake(folder, ['export'])
  const { code, stdout, stderr } = await keepsake(folder, ['export', '--store', 'sqlite:new.db'])
  expect([code, stdout]).toEqual([0, whole.stdout])
  expect(stderr).toBe('This store is being migrated: what it has is not complete.\n')
})

describe('keepsake export --resume', () => {
  it.each([0, 1, 2, 3, 4, 5])('goes on after %d of 5 rows, dropping half a line', async (lines) => {
    const { folder, whole } = await interruptedAfter(lines, '{"entity":["b"')
    const { code, stdout, stderr } = await keepsake(folder, ['export', '--out', 'all.jsonl', '--resume'])
    const more = lines === 0 ? '' : 'more '
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toBe(`Wrote ${5 - lines} ${more}${lines === 4 ? 'row' : 'rows'} to all.jsonl.\n`)
    expect(readFileSync(join(folder, 'all.jsonl'), 'utf8')).toBe(whole)
    expect(readdirSync(folder)).not.toContain('all.jsonl.partial')
  })

  it('begins where nothing was interrupted', async () => {
    const folder = await seeded()
    const { code } = await keepsake(folder, ['export', '--out', 'all.jsonl', '--resume'])
    expect(code).toBe(0)
    expect(jsonLines(readFileSync(join(folder, 'all.jsonl'), 'utf8'))).toEqual(LINES)
  })

  it('is asked for where an export was interrupted', async () => {
    const { folder } = await interruptedAfter(2)
    const { code, stdout, stderr } = await keepsake(folder, ['export', '--out', 'all.jsonl'])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toBe(
      'keepsake: all.jsonl.partial is there: an export was interrupted, or is under way. Go on with it by adding --resume, or remove that file.\n',
    )
  })

  it.each<[what: string, line: string, args: string[], message: string]>([
    ['another entity', '{"entity":["a"],"key":["1"]}', ['--entity', 'z'], 'was begun with another --entity than z.'],
    ['something else', 'hello', [], 'is no export of ours'],
    ['JSON of something else', '{"entity":5}', [], 'is no export of ours'],
    ['no object', 'null', [], 'is no export of ours'],
  ])('refuses to go on with %s, and leaves it', async (_, line, args, message) => {
    const folder = await seeded()
    writeFileSync(join(folder, 'all.jsonl.partial'), `${line}\n`)
    const { code, stdout, stderr } = await keepsake(folder, ['export', '--out', 'all.jsonl', '--resume', ...args])
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(message) as string])
    expect(readFileSync(join(folder, 'all.jsonl.partial'), 'utf8')).toBe(`${line}\n`)
  })
})

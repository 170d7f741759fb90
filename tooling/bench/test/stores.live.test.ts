import { describe, expect, test } from 'vitest'
import { answers } from '../src/answers.ts'
import { ownName } from '../src/own-name.ts'
import { benchStores } from '../src/stores.ts'
import { subjects } from '../src/subjects.ts'
import { tempFolder } from '../src/temp-folder.ts'

const OPERATIONS = [
  'write over 1',
  'write of a new 1',
  'claim of a new 1',
  'write over 100',
  'load of 1',
  'load of 100',
  'scan of 100',
]

for (const subject of subjects) {
  if (subject.server !== undefined && !(await answers(subject.server))) {
    if (process.env['CI']) throw new Error(`CI must start ${subject.name}.`)
    describe.skip(`${subject.name} (skipped: nobody at ${subject.server})`, () => {})
    continue
  }
  test(`every operation of ${subject.name} is compared, at both sizes`, async () => {
    const lines = await benchStores({ rows: 2000, rounds: 1, operations: 2 }, [subject])
    expect(lines.map(({ what }) => what)).toEqual(
      [200, 4096].flatMap((bytes) =>
        OPERATIONS.flatMap((what) => ['p50', 'p95'].map((p) => `${subject.name}, ${bytes} B: ${what}, ${p}`)),
      ),
    )
    for (const { ratio } of lines) expect(ratio).toBeGreaterThan(0)
  })

  test(`${subject.name} by hand does the same guarded work`, async () => {
    using folder = tempFolder()
    await using raw = await subject.raw(ownName('test'), folder)
    const row = { entity: 'a', key: 'k', seq: 5, rec: new Uint8Array([7]), updatedAtMs: 1 }
    expect(await raw.write(row)).toBe(true)
    expect(await raw.write({ ...row, seq: 4 })).toBe(false)
    expect(
      await raw.writeBatch([
        { ...row, seq: 6 },
        { ...row, key: 'l' },
      ]),
    ).toBe(true)
    expect(await raw.writeBatch([row, { ...row, key: 'm' }])).toBe(false)
    expect(await raw.claim({ ...row, key: 'n' })).toBe(true)
    expect(await raw.claim({ ...row, key: 'n', seq: 9 })).toBe(false)
    expect(await raw.loadMany([row, { ...row, key: 'none' }])).toHaveLength(1)
    expect(await raw.scan('a', 3)).toHaveLength(3)
    expect(await raw.load(row)).toMatchObject({ key: 'k' })
  })
}

test('a store whose server is not there is skipped aloud', async () => {
  const nowhere = { ...subjects[0]!, server: '127.0.0.1:1' }
  expect(await benchStores({ rows: 2000, rounds: 1, operations: 1 }, [nowhere])).toEqual([
    { what: nowhere.name, base: 'nobody at 127.0.0.1:1', ours: 'skipped' },
  ])
})

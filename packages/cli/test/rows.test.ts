import { encodeEnvelope, encodeTuple } from '@keepsake/core'
import { describe, expect, it } from 'vitest'
import { jsonLines, keepsake, seed, SEED_MS, tempFolder } from './keepsake.ts'

const TIME = '2024-01-01 00:00:01Z'
const rec = encodeEnvelope({ value: { likes: 'tea' }, createdAtMs: SEED_MS, owner: ['ada'], writeIds: ['w1'] })

/** Rows of every kind, written as they are. Those that expire did so a second later, long ago. */
async function seedRows(folder: string): Promise<void> {
  const at = { updatedAtMs: SEED_MS }
  await seed(folder, async (store) => {
    await store.write([
      { entity: encodeTuple(['owner', 'ada']), key: encodeTuple(['r', 'food']), seq: 5, rec, ...at },
      { entity: encodeTuple(['owner', 'ada']), key: encodeTuple(['r', 'gone']), seq: 60, rec: new Uint8Array(), ...at },
      {
        entity: encodeTuple(['owner', 'ada']),
        key: encodeTuple(['r', 'old']),
        seq: 7,
        rec,
        expiresAtMs: SEED_MS + 1000,
        ...at,
      },
      {
        entity: encodeTuple(['owner', 'ada']),
        key: encodeTuple(['t', 'x/\u001b[2J']),
        seq: 8,
        rec: new Uint8Array([0xff]),
        ...at,
      },
      { entity: 'plain', key: '', seq: 9, rec, ...at },
      { entity: encodeTuple(['thread', 't1']), key: encodeTuple(['m']), seq: 1, rec, ...at },
    ])
  })
}

describe('keepsake entities', () => {
  it('lists them as they can be typed', async () => {
    const folder = tempFolder()
    await seedRows(folder)
    expect(await keepsake(folder, ['entities'])).toEqual({
      code: 0,
      stdout: 'ENTITY\nowner/ada\n"plain"\nthread/t1\n',
      stderr: '',
    })
  })

  it('takes whole segments as prefix, and a limit that it mentions', async () => {
    const folder = tempFolder()
    await seedRows(folder)
    expect((await keepsake(folder, ['entities', '--prefix', 'owner'])).stdout).toBe('ENTITY\nowner/ada\n')
    expect(await keepsake(folder, ['entities', '--prefix', 'own'])).toEqual({
      code: 0,
      stdout: '',
      stderr: 'No entity begins so.\n',
    })
    expect(await keepsake(folder, ['entities', '--limit', '2'])).toEqual({
      code: 0,
      stdout: 'ENTITY\nowner/ada\n"plain"\n',
      stderr: 'These are the first 2; there are more entities: use a larger --limit, or --json for all.\n',
    })
    expect((await keepsake(folder, ['entities', '--limit', '3'])).stderr).toBe('')
  })

  it('gives machines arrays for tuples, and all of them', async () => {
    const folder = tempFolder()
    await seed(folder, async (store) => {
      const row = { key: 'k', seq: 1, rec, updatedAtMs: SEED_MS }
      await store.write(
        Array.from({ length: 150 }, (_, i) => ({ entity: encodeTuple(['e', String(1000 + i)]), ...row })),
      )
    })
    const machines = await keepsake(folder, ['entities', '--json'])
    expect(jsonLines(machines.stdout)).toEqual(
      Array.from({ length: 150 }, (_, i) => ({ entity: ['e', String(1000 + i)] })),
    )
    expect([machines.code, machines.stderr]).toEqual([0, ''])
    // People see the title and 100.
    expect((await keepsake(folder, ['entities'])).stdout.trimEnd().split('\n')).toHaveLength(101)
  })

  it('says so where nothing is remembered', async () => {
    const folder = tempFolder()
    await seed(folder, async (store) => await store.provision())
    const nothing = { code: 0, stdout: '', stderr: 'Nothing is remembered in this store yet.\n' }
    expect(await keepsake(folder, ['entities'])).toEqual(nothing)
    expect(await keepsake(folder, ['entities', '--json'])).toEqual({ code: 0, stdout: '', stderr: '' })
  })
})

describe('keepsake ls', () => {
  it('shows versions, sizes, times, and what is removed or expired', async () => {
    const folder = tempFolder()
    await seedRows(folder)
    const { code, stdout, stderr } = await keepsake(folder, ['ls', 'owner/ada'])
    const size = `${rec.length} B`
    expect(stdout).toBe(
      [
        `KEY             SEQ  SIZE  UPDATED               EXPIRES               STATE`,
        `r/food            5  ${size}  ${TIME}`,
        `r/gone           60   0 B  ${TIME}                        tombstone`,
        `r/old             7  ${size}  ${TIME}  2024-01-01 00:00:02Z  expired`,
        String.raw`t/x\/\u001b[2J    8   1 B  ${TIME}`.replace('${TIME}', TIME),
        '',
      ].join('\n'),
    )
    expect([code, stderr]).toEqual([0, ''])
  })

  it('narrows by prefix and limit', async () => {
    const folder = tempFolder()
    await seedRows(folder)
    const json = await keepsake(folder, ['ls', 'owner/ada', '--prefix', 'r', '--limit', '2', '--json'])
    expect(jsonLines(json.stdout)).toEqual([
      { entity: ['owner', 'ada'], key: ['r', 'food'], seq: 5, bytes: rec.length, updatedAtMs: SEED_MS, state: 'live' },
      { entity: ['owner', 'ada'], key: ['r', 'gone'], seq: 60, bytes: 0, updatedAtMs: SEED_MS, state: 'tombstone' },
    ])
    expect(await keepsake(folder, ['ls', 'owner/ada', '--prefix', 'z'])).toEqual({
      code: 0,
      stdout: '',
      stderr: 'No key of this entity begins so.\n',
    })
  })

  it.each<[entity: string, message: string]>([
    ['owner/bob', 'There is no entity owner/bob. See them all with: keepsake entities'],
    ['ada', 'There is no entity ada. Did you mean owner/ada?'],
    ['t1', 'There is no entity t1. Did you mean thread/t1?'],
    ['plain', 'There is no entity plain. Did you mean "plain"?'],
  ])('%s is not found', async (entity, message) => {
    const folder = tempFolder()
    await seedRows(folder)
    expect(await keepsake(folder, ['ls', entity])).toEqual({ code: 3, stdout: '', stderr: `keepsake: ${message}\n` })
    const json = await keepsake(folder, ['ls', entity, '--json'])
    expect([json.code, json.stdout]).toEqual([3, ''])
    expect(JSON.parse(json.stderr)).toEqual({ error: { code: 'not_found', message, details: {} } })
  })
})

describe('keepsake get', () => {
  it('shows a row with what its envelope says', async () => {
    const folder = tempFolder()
    await seedRows(folder)
    expect((await keepsake(folder, ['get', 'owner/ada', 'r/old'])).stdout).toBe(
      [
        'entity   owner/ada',
        'key      r/old',
        'seq      7',
        `size     ${rec.length} B`,
        `updated  ${TIME}`,
        'expires  2024-01-01 00:00:02Z',
        `created  ${TIME}`,
        'owner    ada',
        'writes   w1',
        'state    expired',
        '',
        '{',
        '  "likes": "tea"',
        '}',
        '',
      ].join('\n'),
    )
  })

  it.each<[args: string[], row: object]>([
    [
      ['owner/ada', 'r/food'],
      {
        entity: ['owner', 'ada'],
        key: ['r', 'food'],
        seq: 5,
        updatedAtMs: SEED_MS,
        value: { likes: 'tea' },
        meta: { createdAtMs: SEED_MS, owner: ['ada'], writeIds: ['w1'] },
      },
    ],
    [
      ['owner/ada', 'r/gone'],
      { entity: ['owner', 'ada'], key: ['r', 'gone'], seq: 60, updatedAtMs: SEED_MS, tombstone: true },
    ],
    [
      ['["owner","ada"]', '["t","x/\\u001b[2J"]'],
      {
        entity: ['owner', 'ada'],
        key: ['t', 'x/\u001b[2J'],
        seq: 8,
        updatedAtMs: SEED_MS,
        unreadable: expect.stringContaining('A stored record of 1 bytes is not one of') as string,
        rec: { $bytes: '/w==' },
      },
    ],
    [
      ['"plain"', '""'],
      {
        entity: 'plain',
        key: '',
        seq: 9,
        updatedAtMs: SEED_MS,
        value: { likes: 'tea' },
        meta: expect.any(Object) as object,
      },
    ],
  ])('gives machines %j', async (args, row) => {
    const folder = tempFolder()
    await seedRows(folder)
    const { code, stdout, stderr } = await keepsake(folder, ['get', ...args, '--json'])
    expect(JSON.parse(stdout)).toEqual(row)
    expect([code, stderr]).toEqual([0, ''])
  })

  it('says what a tombstone is, and what cannot be read', async () => {
    const folder = tempFolder()
    await seedRows(folder)
    expect((await keepsake(folder, ['get', 'owner/ada', 'r/gone'])).stdout).toMatch(
      /^state {4}tombstone\n\n\(removed: /m,
    )
    expect((await keepsake(folder, ['get', 'owner/ada', String.raw`t/x\/\u001b[2J`])).stdout).toContain(
      '\n\n(A stored record of 1 bytes is not one of',
    )
  })

  it.each<[args: string[], message: string]>([
    [['owner/ada', 'r/foo'], "owner/ada has no row r/foo. See its rows with: keepsake ls 'owner/ada'"],
    [['ada', 'r/food'], 'There is no entity ada. Did you mean owner/ada?'],
  ])('%j is not found', async (args, message) => {
    const folder = tempFolder()
    await seedRows(folder)
    expect(await keepsake(folder, ['get', ...args])).toEqual({ code: 3, stdout: '', stderr: `keepsake: ${message}\n` })
  })

  it('refuses names that no row can have', async () => {
    const folder = tempFolder()
    await seedRows(folder)
    const { code, stderr } = await keepsake(folder, ['get', 'x'.repeat(513), 'k'])
    expect([code, stderr]).toEqual([2, expect.stringContaining('at most 512 are allowed') as string])
  })
})

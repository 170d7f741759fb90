import { records } from '@keepsake/core'
import { describe, expect, it } from 'vitest'
import { jsonLines, keepsake, seed, SEED_MS, tempFolder } from './keepsake.ts'

const TIME = '2024-01-01 00:00:01Z'

async function seedRecords(folder: string): Promise<{ food: number; language: number }> {
  const versions = { food: 0, language: 0 }
  await seed(folder, async (store, clock) => {
    const ada = records<unknown>(store, ['users', 'ada'], { clock })
    versions.food = (await ada.put(['memories', 'food'], { likes: 'tea', score: 3 }))!.version
    versions.language = (await ada.put(['memories', 'language'], 'German\u0007'))!.version
    await ada.put(['memories', 'over'], 1, { ttlMs: 1 })
    await ada.put(['memories', 'removed'], 1)
    await ada.delete(['memories', 'removed'])
    await ada.put(['memories-old', 'x'], new Uint8Array([1]))
    await records(store, 'ada', { clock }).put(['memories', 'food'], 'hers')
  })
  return versions
}

describe('keepsake records', () => {
  it("lists an owner's, and neither removed nor expired ones", async () => {
    const folder = tempFolder()
    await seedRecords(folder)
    const { code, stdout, stderr } = await keepsake(folder, ['records', 'users/ada', 'memories'])
    // Deterministic CBOR orders keys by length, then bytes.
    expect(stdout).toBe(
      [
        'KEY                UPDATED               VALUE',
        `memories/food      ${TIME}  {"likes":"tea","score":3}`,
        `memories/language  ${TIME}  ` + String.raw`"German\u0007"`,
        '',
      ].join('\n'),
    )
    expect([code, stderr]).toEqual([0, ''])
  })

  it.each<[args: string[], keys: string[][]]>([
    [
      ['users/ada'],
      [
        ['memories', 'food'],
        ['memories', 'language'],
        ['memories-old', 'x'],
      ],
    ],
    [['users/ada', 'memories', 'food'], [['memories', 'food']]],
    [['users/ada', 'memories/food'], [['memories', 'food']]],
    [['users/ada', '--filter', '{"score":{"$gte":3}}'], [['memories', 'food']]],
    [['users/ada', '--limit', '1'], [['memories', 'food']]],
    [['ada'], [['memories', 'food']]],
  ])('%j gives machines the keys %j', async (args, keys) => {
    const folder = tempFolder()
    await seedRecords(folder)
    const { code, stdout, stderr } = await keepsake(folder, ['records', ...args, '--json'])
    expect(jsonLines(stdout).map((entry) => (entry as { key: string[] }).key)).toEqual(keys)
    expect([code, stderr]).toEqual([0, ''])
  })

  it('gives machines whole entries', async () => {
    const folder = tempFolder()
    const { food } = await seedRecords(folder)
    const { stdout } = await keepsake(folder, ['records', 'users/ada', 'memories/food', '--json'])
    expect(jsonLines(stdout)).toEqual([
      {
        key: ['memories', 'food'],
        value: { likes: 'tea', score: 3 },
        version: food,
        createdAtMs: SEED_MS,
        updatedAtMs: SEED_MS,
      },
    ])
  })

  it.each<[args: string[], note: string]>([
    [['bob'], 'bob has no records.\n'],
    [['users/ada', 'nothing'], 'users/ada has no such records.\n'],
    [['users/ada', '--filter', '{"score":9}'], 'users/ada has no such records.\n'],
  ])('%j: a remark, and no failure', async (args, note) => {
    const folder = tempFolder()
    await seedRecords(folder)
    expect(await keepsake(folder, ['records', ...args])).toEqual({ code: 0, stdout: '', stderr: note })
  })

  it.each<[args: string[], message: string]>([
    [['users/ada', '--filter', '{"score":{"$like":1}}'], 'filter.score.$like is no operator'],
    [['[""]'], 'owner is empty'],
  ])('%j is a usage error', async (args, message) => {
    const folder = tempFolder()
    await seedRecords(folder)
    const { code, stdout, stderr } = await keepsake(folder, ['records', ...args])
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(message) as string])
  })
})

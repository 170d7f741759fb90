import { describe, expect, it } from 'vitest'
import { inMemoryStore } from '../src/rows/in-memory-store.ts'
import { isSameRow, pairRows } from '../src/migration/pair-rows.ts'
import type { RowId, RowStore } from '../src/rows/row-store.ts'
import { hooked, manyRows, row } from './migration-stores.ts'

/** `entity/key`, and which of the stores have it: `both`, `source` or `target`. */
async function pairs(source: RowStore, target: RowStore, after?: RowId): Promise<string[]> {
  const found: string[] = []
  for await (const pair of pairRows(source, target, { after })) {
    const where = pair.source === undefined ? 'target' : pair.target === undefined ? 'source' : 'both'
    for (const one of [pair.source, pair.target]) {
      if (one !== undefined) expect([one.entity, one.key]).toEqual([pair.entity, pair.key])
    }
    found.push(`${pair.entity}/${pair.key} ${where}`)
  }
  return found
}

async function twoStores(): Promise<{ source: RowStore; target: RowStore }> {
  const [source, target] = [inMemoryStore(), inMemoryStore()]
  await source.write([row('a', '1'), row('a', '3'), row('b', '1'), row('d', '1')])
  await target.write([row('a', '2', 7), row('a', '3', 7), row('c', '1', 7), row('d', '1', 7), row('e', '1', 7)])
  return { source, target }
}

describe('pairRows', () => {
  it('meets every row of both stores once, in order', async () => {
    const { source, target } = await twoStores()
    expect(await pairs(source, target)).toEqual([
      'a/1 source',
      'a/2 target',
      'a/3 both',
      'b/1 source',
      'c/1 target',
      'd/1 both',
      'e/1 target',
    ])
  })

  it.each<[entity: string, key: string, rest: string[]]>([
    ['a', '1', ['a/2 target', 'a/3 both', 'b/1 source', 'c/1 target', 'd/1 both', 'e/1 target']],
    ['a', '3', ['b/1 source', 'c/1 target', 'd/1 both', 'e/1 target']],
    // Rows that neither has, or that only one had.
    ['b', '5', ['c/1 target', 'd/1 both', 'e/1 target']],
    ['aa', '', ['b/1 source', 'c/1 target', 'd/1 both', 'e/1 target']],
    ['e', '1', []],
  ])('begins behind %s/%s', async (entity, key, rest) => {
    const { source, target } = await twoStores()
    expect(await pairs(source, target, { entity, key })).toEqual(rest)
  })

  it('orders as stores do, by UTF-8 and not by UTF-16', async () => {
    const [source, target] = [inMemoryStore(), inMemoryStore()]
    await source.write([row('\uff5e', '\u{1f600}'), row('\u{1f600}', '\uff5e')])
    await target.write([row('\uff5e', '\uff5e'), row('\u{1f600}', '\u{1f600}')])
    expect(await pairs(source, target)).toEqual([
      '\uff5e/\uff5e target',
      '\uff5e/\u{1f600} source',
      '\u{1f600}/\uff5e source',
      '\u{1f600}/\u{1f600} target',
    ])
  })

  it('meets the rows of long entities once, whatever their pages', async () => {
    const [source, target] = [inMemoryStore(), inMemoryStore()]
    const rows = manyRows('e', 900)
    await source.write(rows.filter((_, i) => i % 3 !== 0))
    await target.write(rows.filter((_, i) => i % 3 !== 1))
    const where = ['target', 'source', 'both']
    expect(await pairs(source, target)).toEqual(rows.map(({ key }, i) => `e/${key} ${where[i % 3]}`))
  })

  it('does not ask a store for the rows of an entity that it does not have', async () => {
    const { source, target } = await twoStores()
    const asked: string[] = []
    const note = (name: string, store: RowStore): RowStore =>
      hooked(store, { scan: (entity) => void asked.push(`${name} ${entity}`) })
    await pairs(note('source', source), note('target', target))
    expect(asked.toSorted()).toEqual([
      'source a',
      'source b',
      'source d',
      'target a',
      'target c',
      'target d',
      'target e',
    ])
  })

  it('ends when its signal fires', async () => {
    const { source, target } = await twoStores()
    const walk = pairRows(source, target, { signal: AbortSignal.abort() })
    await expect(walk.next()).rejects.toMatchObject({ code: 'aborted' })
  })
})

describe('isSameRow', () => {
  const one = row('e', 'k', 3, { expiresAtMs: 50 })

  it('compares all that stores keep', () => {
    expect(isSameRow(one, { ...one, rec: new Uint8Array(one.rec) })).toBe(true)
    expect(isSameRow(row('e', 'k'), { ...row('e', 'k'), expiresAtMs: undefined })).toBe(true)
  })

  it.each([{ seq: 4 }, { rec: new Uint8Array() }, { updatedAtMs: 1 }, { expiresAtMs: 51 }, { expiresAtMs: undefined }])(
    'sees %j',
    (change) => {
      expect(isSameRow(one, { ...one, ...change })).toBe(false)
    },
  )
})

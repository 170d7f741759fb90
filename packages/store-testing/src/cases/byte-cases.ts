import type { RowWrite } from '@keepsake/core'
import { casesOf, type CaseContext, type CaseEntry, type RowStoreCase } from '../row-store-case.ts'
import { expectEqual, expectResults, expectRows } from '../expect.ts'
import { put } from './rows.ts'

/** Like Node's Buffer: `slice` shares the memory instead of copying it. */
class SharingBytes extends Uint8Array {
  override slice(start?: number, end?: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.buffer).subarray(start, end)
  }
}

const records: readonly (readonly [what: string, rec: Uint8Array])[] = [
  ['all 256 byte values', Uint8Array.from({ length: 256 }, (_, i) => i)],
  ['all byte values, falling', Uint8Array.from({ length: 256 }, (_, i) => 255 - i)],
  ['zeros', new Uint8Array(64)],
  ['one zero', new Uint8Array(1)],
  ['bytes that are no UTF-8', Uint8Array.of(0xff, 0xfe, 0xc0, 0x80, 0xed, 0xa0, 0x80)],
  ['a byte-order mark', Uint8Array.of(0xef, 0xbb, 0xbf, 0x61)],
  ...['null', '\\x4142', "x'41'", '{"a":1}', 'QUJD', '\r\n', ' a ', '%s', "';--", '\\N', '0', '1e999'].map(
    (text): readonly [string, Uint8Array] => [`the text ${JSON.stringify(text)}`, new TextEncoder().encode(text)],
  ),
]

export const byteCases: RowStoreCase[] = casesOf('bytes', [
  ...records.map(([what, rec]): CaseEntry => [
    `a record of ${what} is read back exactly`,
    async ({ store, entity }) => {
      const row = put(entity(), 'k', 1, '', { rec })
      expectResults(await store.write([row]), ['applied'])
      expectRows(await store.load([row]), [row], 'load')
      expectRows(await store.scan(entity(), { limit: 9 }), [row], 'scan')
      expectResults(await store.write([{ ...row, guard: 'absent' }]), ['applied'], 'repeat')
    },
  ]),
  [
    'a part of a larger buffer is stored without the rest',
    async ({ store, entity }) => {
      const rec = Uint8Array.of(1, 2, 3, 4, 5, 6).subarray(2, 4)
      await store.write([put(entity(), 'k', 1, '', { rec })])
      const [row] = await store.load([{ entity: entity(), key: 'k' }])
      expectEqual([...row!.rec], [3, 4], 'bytes')
    },
  ],
  [
    'bytes are copied in: changing them after the write changes nothing stored',
    async ({ store, entity }) => {
      const rec = Uint8Array.of(1, 2, 3)
      await store.write([put(entity(), 'k', 1, '', { rec })])
      rec.fill(9)
      await expectBytes({ store, entity }, [1, 2, 3])
    },
  ],
  [
    'bytes are copied in from arrays that share their memory when sliced',
    async ({ store, entity }) => {
      const rec = new SharingBytes([1, 2, 3])
      await store.write([put(entity(), 'k', 1, '', { rec })])
      rec.fill(9)
      await expectBytes({ store, entity }, [1, 2, 3])
    },
  ],
  [
    'bytes are copied out of load: changing them changes nothing stored',
    async ({ store, entity }) => {
      await store.write([put(entity(), 'k', 1, '', { rec: Uint8Array.of(1, 2, 3) })])
      const [row] = await store.load([{ entity: entity(), key: 'k' }])
      row!.rec.fill(9)
      await expectBytes({ store, entity }, [1, 2, 3])
    },
  ],
  [
    'bytes are copied out of scan: changing them changes nothing stored',
    async ({ store, entity }) => {
      await store.write([put(entity(), 'k', 1, '', { rec: Uint8Array.of(1, 2, 3) })])
      const [row] = await store.scan(entity(), { limit: 1 })
      row!.rec.fill(9)
      await expectBytes({ store, entity }, [1, 2, 3])
    },
  ],
  [
    'a row that is loaded twice in one call is two rows',
    async ({ store, entity }) => {
      await store.write([put(entity(), 'k', 1, '', { rec: Uint8Array.of(1, 2, 3) })])
      const id = { entity: entity(), key: 'k' }
      const [first, second] = await store.load([id, id])
      first!.rec.fill(9)
      first!.seq = 99
      expectEqual([second!.seq, ...second!.rec], [1, 1, 2, 3], 'the second')
    },
  ],
  [
    'changing a row that was read changes nothing stored',
    async ({ store, entity }) => {
      const stored = put(entity(), 'k', 1, 'x')
      await store.write([stored])
      const rows = [...(await store.load([stored])), ...(await store.scan(entity(), { limit: 1 }))]
      for (const row of rows) Object.assign(row!, { key: 'other', seq: 99, updatedAtMs: 0, expiresAtMs: 1 })
      expectRows(await store.load([stored]), [stored])
    },
  ],
  [
    'changing a row that was written changes nothing stored',
    async ({ store, entity }) => {
      const stored = put(entity(), 'k', 1, 'x')
      const write: RowWrite = { ...stored }
      await store.write([write])
      Object.assign(write, { key: 'other', seq: 99, rec: new Uint8Array(9), updatedAtMs: 0, expiresAtMs: 1 })
      expectRows(await store.scan(entity(), { limit: 9 }), [stored])
    },
  ],
  [
    'frozen arguments are taken, and none is changed',
    async ({ store, entity }) => {
      const rows = Object.freeze(
        ['b', 'a', 'b'].map((key, i) =>
          Object.freeze(put(entity(), key, i, key, { guard: i === 2 ? Object.freeze({ seq: 0 }) : 'absent' })),
        ),
      )
      const before = JSON.stringify(rows)
      expectResults(await store.write(rows), ['applied', 'applied', 'applied'])
      const options = Object.freeze({ signal: undefined })
      await store.load(rows, options)
      await store.scan(entity(), Object.freeze({ prefix: 'a', after: '', limit: 1 }), options)
      await store.entities(Object.freeze({ prefix: entity(), limit: 1 }), options)
      await store.remove(Object.freeze([Object.freeze({ entity: entity(), key: 'a', seq: 1 })]), options)
      expectEqual(JSON.stringify(rows), before, 'the rows that were passed')
    },
  ],
  [
    'rows have the properties of the contract and no others',
    async ({ store, entity }) => {
      const write = { ...put(entity(), 'k', 1, 'x', { guard: 'absent', expiresAtMs: 4_000_000_000_000 }), extra: 1 }
      await store.write([write])
      const [loaded] = await store.load([write])
      const [scanned] = await store.scan(entity(), { limit: 1 })
      const names = ['entity', 'expiresAtMs', 'key', 'rec', 'seq', 'updatedAtMs']
      expectEqual(Object.keys(loaded!).toSorted(), names, 'of load')
      expectEqual(Object.keys(scanned!).toSorted(), names, 'of scan')
    },
  ],
])

async function expectBytes({ store, entity }: Pick<CaseContext, 'store' | 'entity'>, bytes: number[]): Promise<void> {
  const [loaded] = await store.load([{ entity: entity(), key: 'k' }])
  const [scanned] = await store.scan(entity(), { limit: 1 })
  expectEqual([...loaded!.rec], bytes, 'bytes of load')
  expectEqual([...scanned!.rec], bytes, 'bytes of scan')
}

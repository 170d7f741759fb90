import { MAX_SEQ, type ErrorCode, type RowStore } from '@keepsake/core'
import { casesOf, type CaseContext, type CaseEntry, type RowStoreCase } from '../row-store-case.ts'
import { expectError, expectResults, expectRows } from '../expect.ts'
import { put, UPDATED_AT_MS } from './rows.ts'

// What a caller without types may pass, so these values have none either.
type Bad = readonly [what: string, value: any, code: ErrorCode]

const badTexts: readonly Bad[] = [
  ['a number', 7, 'invalid_key'],
  ['undefined', undefined, 'invalid_key'],
  ['null', null, 'invalid_key'],
  ['an object', {}, 'invalid_key'],
  ['an array of texts', ['a'], 'invalid_key'],
  ['a String object', Object('a'), 'invalid_key'],
  ['half a surrogate pair, high', 'a\uD83D', 'invalid_key'],
  ['half a surrogate pair, low', '\uDE00a', 'invalid_key'],
  ['two halves in the wrong order', '\uDE00\uD83D', 'invalid_key'],
  ['U+0000', '\0', 'invalid_key'],
  ['U+0000 within', 'a\0b', 'invalid_key'],
]

const badSeqs: readonly Bad[] = [
  ['-1', -1, 'invalid_value'],
  ['-0', -0, 'invalid_value'],
  ['1.5', 1.5, 'invalid_value'],
  ['NaN', Number.NaN, 'invalid_value'],
  ['Infinity', Infinity, 'invalid_value'],
  ['one over the greatest', MAX_SEQ + 1, 'invalid_value'],
  ['2^53', 2 ** 53, 'invalid_value'],
  ['a text', '1', 'invalid_value'],
  ['a bigint', 1n, 'invalid_value'],
  ['null', null, 'invalid_value'],
]

const badTimes: readonly Bad[] = [
  ['-1', -1, 'invalid_value'],
  ['0.5', 0.5, 'invalid_value'],
  ['NaN', Number.NaN, 'invalid_value'],
  ['Infinity', Infinity, 'invalid_value'],
  ['a text', '2026-01-01', 'invalid_value'],
  ['a Date', new Date(0), 'invalid_value'],
  ['null', null, 'invalid_value'],
]

const badRecords: readonly Bad[] = [
  ['a text', 'x', 'invalid_value'],
  ['undefined', undefined, 'invalid_value'],
  ['null', null, 'invalid_value'],
  ['an array of numbers', [1, 2], 'invalid_value'],
  ['an ArrayBuffer', new ArrayBuffer(2), 'invalid_value'],
  ['a DataView', new DataView(new ArrayBuffer(2)), 'invalid_value'],
  ['other typed numbers', new Uint16Array(2), 'invalid_value'],
]

/** With a write of seq 5. */
const badGuards: readonly Bad[] = [
  ['an unknown word', 'always', 'invalid_value'],
  ['null', null, 'invalid_value'],
  ['a number', 4, 'invalid_value'],
  ['an object without seq', {}, 'invalid_value'],
  ['the seq that is written', { seq: 5 }, 'invalid_value'],
  ['a greater seq than is written', { seq: 6 }, 'invalid_value'],
  ...badSeqs.map(([what, seq, code]): Bad => [`{ seq } of ${what}`, { seq }, code]),
]

const badIds: readonly Bad[] = [
  ['undefined', undefined, 'invalid_value'],
  ['null', null, 'invalid_value'],
  ['a text', 'a', 'invalid_value'],
]

const badLists: readonly Bad[] = [
  ['undefined', undefined, 'invalid_value'],
  ['null', null, 'invalid_value'],
  ['a text', 'rows', 'invalid_value'],
  ['an object', {}, 'invalid_value'],
  ['a Set', new Set(), 'invalid_value'],
]

const badLimits: readonly Bad[] = [
  ['0', 0, 'invalid_value'],
  ['-1', -1, 'invalid_value'],
  ['1.5', 1.5, 'invalid_value'],
  ['NaN', Number.NaN, 'invalid_value'],
  ['Infinity', Infinity, 'invalid_value'],
  ['undefined', undefined, 'invalid_value'],
  ['a text', '10', 'invalid_value'],
  ['null', null, 'invalid_value'],
]

const rowTables: readonly (readonly [property: string, lines: readonly Bad[]])[] = [
  ['entity', badTexts],
  ['key', badTexts],
  ['seq', [...badSeqs, ['undefined', undefined, 'invalid_value']]],
  ['rec', badRecords],
  ['updatedAtMs', [...badTimes, ['undefined', undefined, 'invalid_value']]],
  ['expiresAtMs', badTimes],
  ['guard', badGuards],
]

const idTables: readonly (readonly [property: string, lines: readonly Bad[]])[] = [
  ['entity', badTexts],
  ['key', badTexts],
]

// An `undefined` prefix or cursor is one that was left out.
const badRangeTexts = badTexts.filter(([, value]) => value !== undefined)

const rangeTables: readonly (readonly [property: string, lines: readonly Bad[]])[] = [
  ['limit', badLimits],
  ['prefix', badRangeTexts],
  ['after', badRangeTexts],
]

export const inputCases: RowStoreCase[] = casesOf('bad input', [
  ...cells(rowTables).map(([property, [what, value, code]]): CaseEntry => [
    `write refuses a row whose ${property} is ${what}, and writes nothing`,
    (c) => refusesRow(c, { ...put(c.entity(), 'bad', 5, 'x'), [property]: value }, code),
  ]),
  ...badIds.map(([what, value, code]): CaseEntry => [
    `write refuses a row that is ${what}, and writes nothing`,
    (c) => refusesRow(c, value, code),
  ]),
  ...cells(idTables).map(([property, [what, value, code]]): CaseEntry => [
    `load and remove refuse an id whose ${property} is ${what}`,
    (c) => refusesId(c, { entity: c.entity(), key: 'bad', [property]: value }, code),
  ]),
  ...badIds.map(([what, value, code]): CaseEntry => [
    `load and remove refuse an id that is ${what}`,
    (c) => refusesId(c, value, code),
  ]),
  ...badSeqs.map(([what, seq, code]): CaseEntry => [
    `remove refuses a seq that is ${what}, and removes nothing`,
    (c) => refuses(c, (store, good) => store.remove([good, { entity: c.entity(), key: 'bad', seq }]), code),
  ]),
  ...badLists.map(([what, value, code]): CaseEntry => [
    `write, load and remove refuse a list that is ${what}`,
    async (c) => {
      await refuses(c, (store) => store.write(value), code)
      await refuses(c, (store) => store.load(value), code)
      await refuses(c, (store) => store.remove(value), code)
    },
  ]),
  ...cells(rangeTables).map(([property, [what, value, code]]): CaseEntry => [
    `scan and entities refuse a range whose ${property} is ${what}`,
    async (c) => {
      const range: any = { limit: 9, [property]: value }
      await refuses(c, (store) => store.scan(c.entity(), range), code)
      await refuses(c, (store) => store.entities(range), code)
    },
  ]),
  ...badIds.map(([what, value, code]): CaseEntry => [
    `scan and entities refuse a range that is ${what}`,
    async (c) => {
      await refuses(c, (store) => store.scan(c.entity(), value), code)
      await refuses(c, (store) => store.entities(value), code)
    },
  ]),
  ...badTexts.map(([what, value, code]): CaseEntry => [
    `scan and removeEntity refuse an entity that is ${what}`,
    async (c) => {
      await refuses(c, (store) => store.scan(value, { limit: 9 }), code)
      await refuses(c, (store) => store.removeEntity(value), code)
    },
  ]),
  [
    'a method that was called wrongly works afterwards',
    async ({ store, entity }) => {
      const bad: any = { entity: entity(), key: 1 }
      await expectError(store.write([bad]), 'invalid_key', 'write')
      expectResults(await store.write([put(entity(), 'k', 1, 'x')]), ['applied'])
      expectRows(await store.scan(entity(), { limit: 9 }), [put(entity(), 'k', 1, 'x')])
    },
  ],
])

function cells(tables: readonly (readonly [string, readonly Bad[]])[]): (readonly [string, Bad])[] {
  return tables.flatMap(([property, lines]) => lines.map((l) => [property, l] as const))
}

/** Good rows before and after the bad one, so that a store which checks as it goes is seen. */
async function refusesRow(c: CaseContext, bad: any, code: ErrorCode): Promise<void> {
  await refuses(c, (store, good) => store.write([{ ...good, seq: 9 }, bad, put(c.entity(), 'new', 1, 'x')]), code)
  await refuses(c, (store) => store.write([bad]), code)
}

async function refusesId(c: CaseContext, bad: any, code: ErrorCode): Promise<void> {
  await refuses(c, (store, good) => store.load([good, bad]), code)
  await refuses(c, (store, good) => store.remove([good, bad]), code)
}

async function refuses(
  { store, entity }: CaseContext,
  call: (store: RowStore, good: ReturnType<typeof put>) => Promise<unknown>,
  code: ErrorCode,
): Promise<void> {
  const good = put(entity(), 'good', 1, 'x', { updatedAtMs: UPDATED_AT_MS })
  await store.write([good])
  await expectError(call(store, good), code, 'the call')
  expectRows(await store.scan(entity(), { limit: 9 }), [good], 'what is stored')
}

import { casesOf, type CaseContext, type CaseEntry, type RowStoreCase } from '../row-store-case.ts'
import { expectEqual, expectResults, expectRows } from '../expect.ts'
import { distinctPairs, hostileStrings } from './hostile-strings.ts'
import { keysOf, put, shown } from './rows.ts'

/** Entities as they are, without the prefix of a case. Shared with everybody, so only single rows are touched. */
const bareEntities = ['', ' ', '%', '_', '*', '.', '..', '/', "'", '__proto__', '__name__', '\u0001', '\u{10FFFF}']

export const keyCases: RowStoreCase[] = casesOf('keys', [
  ...hostileStrings.map((key): CaseEntry => [
    `key ${shown(key)} works in every call`,
    (c) => everyCallTakesKey(c, key),
  ]),
  ...hostileStrings.map((suffix): CaseEntry => [
    `entity ending in ${shown(suffix)} works in every call`,
    (c) => everyCallTakesEntity(c, suffix),
  ]),
  ...bareEntities.map((entity): CaseEntry => [`entity ${shown(entity)} works`, (c) => bareEntity(c, entity)]),
  ...distinctPairs.map(([a, b]): CaseEntry => [
    `keys ${shown(a)} and ${shown(b)} are two rows`,
    (c) => twoKeys(c, a, b),
  ]),
  ...distinctPairs.map(([a, b]): CaseEntry => [
    `entities ${shown(a)} and ${shown(b)} are two`,
    (c) => twoEntities(c, a, b),
  ]),
  [
    'entity and key are not joined: moving a character from one to the other is another row',
    async ({ store, entity }) => {
      const rows = [
        put(entity('a'), 'bc', 1, '1'),
        put(entity('ab'), 'c', 1, '2'),
        put(entity('abc'), '', 1, '3'),
        put(entity('a:b'), 'c', 1, '4'),
        put(entity('a'), 'b:c', 1, '5'),
        put(entity('a\u0001'), 'b', 1, '6'),
        put(entity('a'), '\u0001b', 1, '7'),
      ]
      expectResults(
        await store.write(rows),
        rows.map(() => 'applied' as const),
      )
      expectRows(await store.load(rows), rows)
    },
  ],
])

async function everyCallTakesKey({ store, entity }: CaseContext, key: string): Promise<void> {
  const e = entity()
  const first = put(e, key, 1, 'first')
  expectResults(await store.write([first]), ['applied'], 'write')
  expectRows(await store.load([{ entity: e, key }]), [first], 'load')
  expectRows(await store.scan(e, { limit: 10 }), [first], 'scan')
  expectRows(await store.scan(e, { prefix: key, limit: 10 }), [first], 'scan with the key as prefix')
  expectRows(await store.scan(e, { prefix: `${key}x`, limit: 10 }), [], 'scan with a longer prefix')
  expectRows(await store.scan(e, { after: key, limit: 10 }), [], 'scan after the key')
  const second = put(e, key, 2, 'second', { guard: { seq: 1 } })
  expectResults(await store.write([second, put(e, `${key}x`, 1, 'other')]), ['applied', 'applied'], 'second write')
  expectRows(await store.load([{ entity: e, key }]), [second], 'second load')
  expectEqual(await store.remove([{ entity: e, key, seq: 2 }]), 1, 'remove')
  expectEqual(keysOf(await store.scan(e, { limit: 10 })), [`${key}x`], 'keys that are left')
}

async function everyCallTakesEntity({ store, entity }: CaseContext, suffix: string): Promise<void> {
  const e = entity(suffix)
  const longer = entity(`${suffix}x`)
  const row = put(e, 'k', 1, 'mine')
  expectResults(await store.write([row, put(longer, 'k', 1, 'other')]), ['applied', 'applied'], 'write')
  expectRows(await store.load([{ entity: e, key: 'k' }]), [row], 'load')
  expectRows(await store.scan(e, { limit: 10 }), [row], 'scan')
  expectEqual(await store.entities({ prefix: e, limit: 10 }), [e, longer], 'entities')
  expectEqual(await store.entities({ prefix: e, after: e, limit: 10 }), [longer], 'entities after this one')
  const next = put(e, 'k', 2, 'next', { guard: { seq: 1 } })
  expectResults(await store.write([next]), ['applied'], 'second write')
  expectRows(await store.scan(e, { limit: 10 }), [next], 'second scan')
  expectEqual(await store.removeEntity(e), 1, 'removeEntity')
  expectEqual(await store.entities({ prefix: e, limit: 10 }), [longer], 'entities that are left')
}

async function bareEntity({ store, entity }: CaseContext, bare: string): Promise<void> {
  const key = entity()
  const row = put(bare, key, 1, 'bare')
  expectResults(await store.write([row]), ['applied'], 'write')
  expectRows(await store.load([{ entity: bare, key }]), [row], 'load')
  expectRows(await store.scan(bare, { prefix: key, limit: 10 }), [row], 'scan')
  expectEqual(await store.entities({ prefix: bare, limit: 1 }), [bare], 'entities')
  expectEqual(await store.remove([{ entity: bare, key }]), 1, 'remove')
  expectRows(await store.load([{ entity: bare, key }]), [undefined], 'load after remove')
}

async function twoKeys({ store, entity }: CaseContext, a: string, b: string): Promise<void> {
  const e = entity()
  const rows = [put(e, a, 1, 'a'), put(e, b, 1, 'b')]
  expectResults(await store.write([{ ...rows[0]!, guard: 'absent' }]), ['applied'], 'first')
  expectResults(await store.write([{ ...rows[1]!, guard: 'absent' }]), ['applied'], 'second')
  expectRows(await store.load(rows), rows, 'load')
  expectEqual((await store.scan(e, { limit: 10 })).length, 2, 'rows in a scan')
  expectEqual(await store.remove([{ entity: e, key: a }]), 1, 'remove of the first')
  expectRows(await store.load(rows), [undefined, rows[1]], 'load after remove')
}

async function twoEntities({ store, entity }: CaseContext, a: string, b: string): Promise<void> {
  const rows = [put(entity(a), 'k', 1, 'a'), put(entity(b), 'k', 1, 'b')]
  expectResults(await store.write([{ ...rows[0]!, guard: 'absent' }]), ['applied'], 'first')
  expectResults(await store.write([{ ...rows[1]!, guard: 'absent' }]), ['applied'], 'second')
  expectRows(await store.load(rows), rows, 'load')
  expectRows(await store.scan(entity(a), { limit: 10 }), [rows[0]], 'scan of the first')
  expectEqual(await store.removeEntity(entity(a)), 1, 'removeEntity of the first')
  expectRows(await store.load(rows), [undefined, rows[1]], 'load after removeEntity')
}

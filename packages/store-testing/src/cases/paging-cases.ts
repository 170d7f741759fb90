import { casesOf, type CaseContext, type CaseEntry, type RowStoreCase } from '../row-store-case.ts'
import { expectEqual, expectResults, expectRows } from '../expect.ts'
import { together } from '../together.ts'
import { keysOf, numberedKeys, put, putKeys } from './rows.ts'

export const pagingCases: RowStoreCase[] = casesOf('paging', [
  ...[1, 2, 7, 50, 51].map((limit): CaseEntry => [
    `pages of ${limit} are together the whole, rows and entities`,
    async (c) => {
      const keys = numberedKeys(50)
      await c.store.write(putKeys(c.entity('e'), keys))
      expectEqual((await pages(c, 'e', limit)).flat(), keys, 'keys')
      await c.store.write(keys.map((suffix) => put(c.entity(suffix), 'k', 1, 'x')))
      const names = keys.map((suffix) => c.entity(suffix))
      const found = await allPages(limit, (after = c.entity('k')) =>
        c.store.entities({ prefix: c.entity('k'), after, limit }),
      )
      expectEqual(found.flat(), names, 'entities')
    },
  ]),
  [
    'pages under a prefix stay within it',
    async (c) => {
      await c.store.write(putKeys(c.entity('e'), [...numberedKeys(10, 'a'), ...numberedKeys(10, 'b'), 'c']))
      expectEqual((await pages(c, 'e', 3, 'b')).flat(), numberedKeys(10, 'b'), 'keys')
    },
  ],
  [
    'rows that are added behind the cursor come, those before it do not, nothing comes twice',
    async (c) => {
      await c.store.write(putKeys(c.entity('e'), ['b', 'd', 'f', 'h']))
      const first = await c.store.scan(c.entity('e'), { limit: 2 })
      await c.store.write(putKeys(c.entity('e'), ['a', 'c', 'e', 'g', 'i']))
      const rest = await c.store.scan(c.entity('e'), { after: 'd', limit: 9 })
      expectEqual(keysOf([...first, ...rest]), ['b', 'd', 'e', 'f', 'g', 'h', 'i'], 'keys')
    },
  ],
  [
    'a cursor goes on where its row was removed',
    async (c) => {
      await c.store.write(putKeys(c.entity('e'), ['a', 'b', 'c', 'd']))
      await c.store.remove(['b', 'c'].map((key) => ({ entity: c.entity('e'), key })))
      expectEqual(keysOf(await c.store.scan(c.entity('e'), { after: 'b', limit: 9 })), ['d'], 'keys')
    },
  ],
  [
    'a cursor of entities goes on where its entity was removed',
    async (c) => {
      await c.store.write(['a', 'b', 'c'].map((suffix) => put(c.entity(suffix), 'k', 1, 'x')))
      await c.store.removeEntity(c.entity('b'))
      const found = await c.store.entities({ prefix: c.entity(), after: c.entity('b'), limit: 9 })
      expectEqual(found, [c.entity('c')], 'entities')
    },
  ],
  [
    'rows that are rewritten while they are paged come once each, in their places',
    async (c) => {
      const keys = numberedKeys(20)
      await c.store.write(putKeys(c.entity('e'), keys))
      let seq = 2
      const found = await allPages(3, async (after) => {
        const page = await c.store.scan(c.entity('e'), { ...(after !== undefined && { after }), limit: 3 })
        await c.store.write(keys.map((key) => put(c.entity('e'), key, seq, 'again')))
        seq++
        return keysOf(page)
      })
      expectEqual(found.flat(), keys, 'keys')
    },
  ],
  [
    'paging while others add and remove finds every row that was there throughout, once and in order',
    async (c) => {
      const stay = numberedKeys(60)
      const come = stay.map((key) => `${key}+`)
      const go = stay.map((key) => `${key}-`)
      await c.store.write(putKeys(c.entity('e'), [...stay, ...go]))
      const change = async (): Promise<void> => {
        for (const [i, key] of come.entries()) {
          await c.store.write([put(c.entity('e'), key, 1, key)])
          await c.store.remove([{ entity: c.entity('e'), key: go[i]! }])
        }
      }
      const [found] = await together([pages(c, 'e', 5), change()])
      const keys = found.flat()
      expectEqual(
        keys.filter((key) => key.length === 5),
        stay,
        'keys that stayed',
      )
      expectEqual(keys, [...new Set(keys)].toSorted(), 'keys, each once and in order')
    },
  ],
  [
    'a scan sees every write that has returned',
    async ({ store, entity }) => {
      const keys = numberedKeys(30)
      for (const [i, key] of keys.entries()) {
        await store.write([put(entity('e'), key, 1, key)])
        expectEqual(keysOf(await store.scan(entity('e'), { limit: 50 })), keys.slice(0, i + 1), 'keys')
      }
    },
  ],
  [
    'a scan and a load see every rewriting that has returned',
    async ({ store, entity }) => {
      for (let seq = 0; seq < 30; seq++) {
        const row = put(entity(), 'k', seq, `seq ${seq}`)
        await store.write([row])
        expectRows(await store.scan(entity(), { limit: 9 }), [row], 'scan')
        expectRows(await store.load([row]), [row], 'load')
      }
    },
  ],
  [
    'a scan sees every removal that has returned',
    async ({ store, entity }) => {
      const keys = numberedKeys(20)
      await store.write(putKeys(entity(), keys))
      for (const [i, key] of keys.entries()) {
        await store.remove([{ entity: entity(), key }])
        expectEqual(keysOf(await store.scan(entity(), { limit: 50 })), keys.slice(i + 1), 'keys')
      }
    },
  ],
  [
    'entities see every first write that has returned',
    async ({ store, entity }) => {
      const names: string[] = []
      for (const suffix of numberedKeys(20)) {
        names.push(entity(suffix))
        expectResults(await store.write([put(entity(suffix), 'k', 1, 'x')]), ['applied'])
        expectEqual(await store.entities({ prefix: entity(), limit: 50 }), names, 'entities')
      }
    },
  ],
])

async function pages({ store, entity }: CaseContext, suffix: string, limit: number, prefix = ''): Promise<string[][]> {
  return allPages(limit, async (after) =>
    keysOf(await store.scan(entity(suffix), { prefix, ...(after !== undefined && { after }), limit })),
  )
}

/** Reads on until a page is not full. A store that never comes to an end fails instead of hanging. */
async function allPages(limit: number, read: (after: string | undefined) => Promise<string[]>): Promise<string[][]> {
  const found: string[][] = []
  for (let count = 0; count < 1000; count++) {
    const page = await read(found.at(-1)?.at(-1))
    found.push(page)
    if (page.length < limit) return found
  }
  throw new Error('a thousand pages were read, and there is no end')
}

import { describe, expect, it } from 'vitest'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { decodeEnvelope, inMemoryStore, ownerEntity, records, subjectEntity, type Records } from '../src/index.ts'

type Value = { n: number | string }

/** Takes every value, and says so later. */
const slowSchema: StandardSchemaV1<unknown, Value> = {
  '~standard': { version: 1, vendor: 'test', validate: async (value) => ({ value: structuredClone(value) as Value }) },
}

async function setup(schema?: StandardSchemaV1<unknown, Value>) {
  const store = inMemoryStore()
  const owner = ['users', 'ada']
  const notes = records<Value>(store, owner, schema && { schema })
  owner[1] = 'bob'
  const old = await notes.put(['a'], { n: 1 })
  const { version } = (await notes.put(['a'], { n: 2 }))!
  await notes.put(['b', 'x'], { n: 3 })
  return { store, notes, old: old!.version, version }
}

const contents = async (notes: Records<Value>): Promise<string[]> =>
  (await notes.list([])).items.map(({ key, value }) => `${key.join('/')}=${value.n}`)

const BEFORE = ['a=2', 'b/x=3']

/** What is called, and what the caller then does to each thing that was passed: the call's result and what is stored. */
const table: readonly (readonly [
  string,
  (given: Awaited<ReturnType<typeof setup>>) => PromiseLike<unknown>,
  unknown,
  readonly string[],
])[] = [
  [
    'put over a version',
    ({ notes, old }) => {
      const options: { ifVersion?: number } = { ifVersion: old }
      const call = notes.put(['a'], { n: 'STALE' }, options)
      delete options.ifVersion
      return call
    },
    undefined,
    BEFORE,
  ],
  [
    'put: key and value',
    ({ notes }) => {
      const [key, value] = [['c'], { n: 4 } as Value]
      const call = notes.put(key, value).then((entry) => entry!.value)
      key[0] = 'a'
      value.n = 'MUTATED'
      return call
    },
    { n: 4 },
    [...BEFORE, 'c=4'],
  ],
  [
    'putMany: list, entries, keys and values',
    ({ notes }) => {
      const entries = ['c', 'd', 'e'].map((key, i) => ({ key: [key], value: { n: i } as Value }))
      const call = notes.putMany(entries).then((put) => put.length)
      entries[1]!.key[0] = 'a'
      entries[1]!.value.n = 'MUTATED'
      entries[2]!.value = { n: 'MUTATED' }
      entries.length = 0
      return call
    },
    3,
    [...BEFORE, 'c=0', 'd=1', 'e=2'],
  ],
  [
    'putMany over versions',
    ({ notes, old }) => {
      const [first, second] = [{ ifVersion: null }, { ifVersion: old }] as [{ ifVersion: null }, { ifVersion?: number }]
      const entries = [
        { key: ['c'], value: { n: 4 }, options: first },
        { key: ['a'], value: { n: 'STALE' }, options: second },
      ]
      const call = notes.putMany(entries).then((put) => put.map((entry) => entry?.value.n))
      delete second.ifVersion
      entries[1]!.options = first
      return call
    },
    [4, undefined],
    [...BEFORE, 'c=4'],
  ],
  [
    'update over a version',
    ({ notes, old }) => {
      const [key, options] = [['a'], { ifVersion: old } as { ifVersion?: number }]
      const call = notes.update(key, () => ({ n: 'STALE' }), options)
      delete options.ifVersion
      key[0] = 'c'
      return call
    },
    undefined,
    BEFORE,
  ],
  [
    'delete of a version',
    ({ notes, old }) => {
      const [key, options] = [['a'], { ifVersion: old } as { ifVersion?: number }]
      const call = notes.delete(key, options)
      delete options.ifVersion
      key[0] = 'c'
      return call
    },
    false,
    BEFORE,
  ],
  [
    'deleteAll',
    ({ notes }) => {
      const prefix = ['b']
      const call = notes.deleteAll(prefix)
      prefix.length = 0
      return call
    },
    1,
    ['a=2'],
  ],
  [
    'get',
    ({ notes }) => {
      const key = ['a']
      const call = notes.get(key).then((entry) => entry!.value)
      key[0] = 'none'
      return call
    },
    { n: 2 },
    BEFORE,
  ],
  [
    'getMany',
    ({ notes }) => {
      const keys = [['a'], ['b', 'x']]
      const call = notes.getMany(keys).then((entries) => entries.map((entry) => entry?.value.n))
      keys[0]![0] = 'none'
      keys.length = 1
      return call
    },
    [2, 3],
    BEFORE,
  ],
  [
    'list',
    ({ notes }) => {
      const [prefix, filter, options] = [['b'], { n: 3 }, { limit: 5, filter: {} }]
      const listing = notes.list(prefix, Object.assign(options, { filter }))
      prefix[0] = 'a'
      filter.n = 2
      options.limit = 0
      options.filter = { n: 2 }
      return listing.then(({ items }) => items.map(({ value }) => value.n))
    },
    [3],
    BEFORE,
  ],
  [
    'prefixes',
    ({ notes }) => {
      const [prefix, options] = [[] as string[], { depth: 1, limit: 5 }]
      const listing = notes.prefixes(prefix, options)
      prefix.push('a', 'b')
      options.depth = 7
      options.limit = 0
      return listing.then(({ items }) => items)
    },
    [['b']],
    BEFORE,
  ],
  [
    'search',
    ({ notes }) => {
      const [prefix, filter, options] = [['b'], { n: 3 }, { limit: 5, filter: {} }]
      const listing = notes.search(prefix, '3', Object.assign(options, { filter }))
      prefix[0] = 'a'
      filter.n = 2
      options.limit = 0
      return listing.then(({ items }) => items.map(({ value }) => value.n))
    },
    [3],
    BEFORE,
  ],
]

describe.each([
  ['without a schema', undefined],
  ['with a schema that answers later', slowSchema],
])('what is changed right after the call changes nothing, %s', (_, schema) => {
  it.each(table)('%s', async (_name, call, result, stored) => {
    const given = await setup(schema)
    expect(await call(given)).toEqual(result)
    expect(await contents(given.notes)).toEqual(stored)
  })

  it('subject, sources and ttlMs', async () => {
    const { store, notes } = await setup(schema)
    const options = { subject: ['grace'], sources: ['m1'], ttlMs: 1000 }
    const calls = [
      notes.put(['c'], { n: 1 }, options),
      notes.putMany([{ key: ['d'], value: { n: 1 }, options }]),
      notes.update(['e'], () => ({ n: 1 }), options),
    ]
    options.subject[0] = 'mallory'
    options.sources[0] = 'm2'
    options.ttlMs = 1e9
    await Promise.all(calls)
    const rows = await store.scan(ownerEntity(['users', 'ada']), { limit: 10 })
    const written = rows.map(({ rec }) => decodeEnvelope(rec)).filter(({ subject }) => subject !== undefined)
    expect(written).toHaveLength(3)
    for (const { owner, subject, sources, createdAtMs, expiresAtMs } of written) {
      expect([owner, subject, sources]).toEqual([['users', 'ada'], ['grace'], ['m1']])
      expect(expiresAtMs! - createdAtMs).toBeLessThan(60_000)
    }
    expect(await store.scan(subjectEntity('mallory'), { limit: 10 })).toEqual([])
  })
})

/** An array whose iterator says something else than what is in it. */
function twoFaced(items: string[], others: string[]): string[] {
  return Object.defineProperty([...items], Symbol.iterator, { value: () => others.values() })
}

describe('tuples with an iterator of their own', () => {
  it('are what is in them, wherever one is taken', async () => {
    const store = inMemoryStore()
    await records(store, 'bob').put(['k'], 'secret')
    const notes = records(store, twoFaced(['ada'], ['bob']))
    expect(await notes.get(['k'])).toBeUndefined()
    await notes.put(twoFaced(['a'], ['b']), 1, { subject: twoFaced(['grace'], ['bob']) })
    expect((await notes.list(twoFaced(['a'], []))).items.map(({ key }) => key)).toEqual([['a']])
    const [row] = await store.scan(ownerEntity('ada'), { limit: 10 })
    expect(decodeEnvelope(row!.rec)).toMatchObject({ owner: ['ada'], subject: ['grace'] })
    expect(await store.scan(subjectEntity('grace'), { limit: 10 })).toHaveLength(1)
    expect(await notes.deleteAll(twoFaced(['x'], []))).toBe(0)
  })
})

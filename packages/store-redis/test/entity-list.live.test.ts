import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { shardKey, shardOf } from '../src/keys.ts'
import type { RedisStore } from '../src/redis-store.ts'
import { again } from './again.ts'
import { canStart, ownServer, type OwnServer } from './own-server.ts'
import { put } from './rows.ts'

describe.skipIf(!canStart())('the list of entities', () => {
  let server: OwnServer
  let store: RedisStore
  let prefix = ''

  beforeAll(async () => {
    server = await ownServer()
  })
  beforeEach(({ task }) => {
    prefix = `list-${task.id}`
    store = server.store({ prefix })
  })
  afterAll(() => server[Symbol.asyncDispose]())

  const write = (entities: readonly string[]) =>
    store.write(entities.map((entity) => put('k', 1, 'x', undefined, entity)))
  const all = () => store.entities({ limit: 100_000 })

  test('is read in order over all shards, in pages of any size', async () => {
    const names = namesOf(3000)
    await write(names)
    for (const limit of [1, 7, 100, 2999, 3000, 5000]) {
      const first = await store.entities({ limit })
      expect(first).toEqual(names.slice(0, limit))
    }
    const paged: string[] = []
    for (let page = await store.entities({ limit: 321 }); page.length > 0;) {
      paged.push(...page)
      page = await store.entities({ limit: 321, after: page.at(-1)! })
    }
    expect(paged).toEqual(names)
    expect(await store.entities({ prefix: 'e0012', limit: 1000 })).toEqual(names.slice(1200, 1300))
  })

  test('that is read while it names many without rows gives as many with rows as were asked for', async () => {
    const names = namesOf(2000)
    await write(names.filter((_, i) => i % 100 === 0))
    const shards = Map.groupBy(names, shardOf)
    for (const [shard, entities] of shards) {
      await server.admin.zadd(shardKey(prefix, shard), ...entities.flatMap((entity) => [0, entity]))
    }
    expect(await store.entities({ limit: 5 })).toEqual([0, 100, 200, 300, 400].map((i) => names[i]))
    expect(await store.entities({ limit: 5, after: names[1500]! })).toEqual(
      [1600, 1700, 1800, 1900].map((i) => names[i]),
    )
  })

  test('that was lost is written again by verify({ repair: true }), and what has no rows is taken off', async () => {
    const names = [...namesOf(1500), '', '}:k', 'a{b}%7d', 'é\u{1F600}']
    await write(names)
    const sorted = await all()
    expect(sorted).toHaveLength(1504)
    const shards = Array.from({ length: 16 }, (_, shard) => shardKey(prefix, shard))
    await server.admin.unlink(...shards)
    expect(await all()).toEqual([])
    await server.admin.zadd(shardKey(prefix, shardOf('nobody')), 0, 'nobody')
    await store.verify({ repair: true })
    expect(await all()).toEqual(sorted)
    expect(await server.admin.zscore(shardKey(prefix, shardOf('nobody')), 'nobody')).toBeNull()
  })

  test('is complete without repair for who writes to an entity that others remove all the time', async () => {
    const other = server.store({ prefix })
    let removed = 0
    const removing = again(async () => {
      removed += await other.removeEntity('e')
    })
    for (let i = 0; i < 500; i++) await store.write([put('k', i, 'x')])
    await removing.stop()
    expect(removed).toBeGreaterThan(20)
    await store.write([put('k', 500, 'x')])
    expect(await all()).toEqual(['e'])
    await store.removeEntity('e')
    expect(await server.admin.keys(`${prefix}:*`)).toEqual([])
  })

  test('does not grow by writes that are refused', async () => {
    await store.write([put('k', 2, 'x', { seq: 1 }, 'nobody')])
    expect(await server.admin.keys(`${prefix}:*`)).toEqual([])
  })
})

function namesOf(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `e${String(i).padStart(6, '0')}`)
}

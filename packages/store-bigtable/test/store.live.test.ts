import { Bigtable, type Table } from '@google-cloud/bigtable'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bigtableStore } from '../src/bigtable-store.ts'
import { cutsOften } from './cut-connection.ts'
import { runProgram } from './program.ts'
import { put } from './rows.ts'
import { serverUrl } from './server.ts'

const host = await serverUrl()

describe.skipIf(host === undefined)('Bigtable, at BIGTABLE_EMULATOR_HOST', () => {
  const names = { project: 'keepsake', instance: 'test', table: `store-${process.pid}` }
  let client: Bigtable
  let table: Table

  beforeAll(async () => {
    client = new Bigtable({ projectId: names.project, metricsEnabled: false })
    table = client.instance(names.instance).table(names.table)
    await bigtableStore({ table }).provision()
  })

  afterAll(async () => {
    await bigtableStore({ table }).provision({ down: true })
    await client.close()
  })

  test('a table that was passed in works on after its store was closed', async () => {
    const store = bigtableStore({ table })
    await store.write([put('passed in', 1, 'x')])
    await store.close()
    const [rows] = await table.getRows({ keys: ['e\0passed in'] })
    expect(rows).toHaveLength(1)
    expect(await bigtableStore({ table }).load([{ entity: 'e', key: 'passed in' }])).toMatchObject([{ seq: 1 }])
  })

  test('a table whose client was closed is unavailable at once', async () => {
    const other = new Bigtable({ projectId: names.project, metricsEnabled: false })
    await using store = bigtableStore({ table: other.instance(names.instance).table(names.table) })
    await store.scan('e', { limit: 1 })
    await other.close()
    const refused = { code: 'unavailable', message: expect.stringContaining('was closed') as string }
    await expect(store.scan('e', { limit: 1 })).rejects.toMatchObject(refused)
    await expect(store.write([put('closed', 1, 'x')])).rejects.toMatchObject(refused)
  })

  test('a row has one version of each cell, at time 0, however often it was written', async () => {
    await using store = bigtableStore(names)
    for (let seq = 1; seq <= 5; seq++) await store.write([put('often', seq, `seq ${seq}`)])
    const [[row]] = await table.getRows({ keys: ['e\0often'], decode: false })
    const cells = row!.data as { m: Record<string, { value: unknown; timestamp: string }[]> }
    expect(Object.keys(cells)).toEqual(['m'])
    expect(Object.keys(cells.m).toSorted()).toEqual(['exp', 'rec', 'seq', 'upd'])
    for (const versions of Object.values(cells.m)) {
      expect(versions).toHaveLength(1)
      expect(versions[0]!.timestamp).toBe('0')
    }
    expect(cells.m['rec']![0]!.value).toEqual(Buffer.from('seq 5'))
  })

  test('records of 8 bytes, which the client takes for numbers, come back as they are', async () => {
    await using store = bigtableStore(names)
    const records = [new Uint8Array(8), new Uint8Array([0, 0, 0, 0, 0, 0, 1, 0]), new Uint8Array(8).fill(255)]
    const rows = records.map((rec, i) => ({ ...put(`8 bytes ${i}`, 1, ''), rec }))
    await store.write(rows)
    expect((await store.load(rows)).map((row) => row?.rec)).toEqual(records)
  })

  test('a row that is rewritten without an expiry has none', async () => {
    await using store = bigtableStore(names)
    await store.write([{ ...put('expires', 1, 'x'), expiresAtMs: 5000 }])
    await store.write([put('expires', 2, 'x')])
    expect(await store.load([{ entity: 'e', key: 'expires' }])).toEqual([put('expires', 2, 'x')])
  })

  test('10,000 rows in one call, loaded, scanned in the order of their keys and removed as one entity', async () => {
    await using store = bigtableStore(names)
    const rows = Array.from({ length: 10_000 }, (_, i) => ({
      ...put(String(i).padStart(5, '0'), i, `text ${i}`),
      entity: 'many',
    }))
    const results = await store.write(rows)
    expect(results.filter(({ status }) => status === 'applied')).toHaveLength(10_000)
    expect(await store.scan('many', { limit: 20_000 })).toEqual(rows)
    expect(await store.load(rows.toReversed())).toEqual(rows.toReversed())
    expect(await store.removeEntity('many')).toBe(10_000)
    expect(await store.entities({ prefix: 'many', limit: 1 })).toEqual([])
  })

  test('a batch of the largest records, more than one message of gRPC takes', async () => {
    await using store = bigtableStore(names)
    const rec = new Uint8Array(store.limits.maxRecBytes).map((_, i) => (i * 7) % 251)
    const rows = ['a', 'b', 'c'].map((key) => ({ ...put(`large ${key}`, 1, ''), rec }))
    expect(await store.write(rows)).toEqual(rows.map(() => ({ status: 'applied' })))
    const scanned = await store.scan('e', { prefix: 'large ', limit: 9 })
    expect(scanned.map(({ key, rec: found }) => [key, Buffer.compare(found, rec)])).toEqual([
      ['large a', 0],
      ['large b', 0],
      ['large c', 0],
    ])
  })

  test('cells of other families in the same row stay when the row is removed', async () => {
    const shared = client.instance(names.instance).table(`${names.table}-shared`)
    await shared.create({ families: ['theirs'] })
    await using store = bigtableStore({ table: shared })
    await store.provision()
    await store.write([put('k', 1, 'x')])
    await shared.insert({ key: 'e\0k', data: { theirs: { a: 'b' } } })
    expect(await store.remove([{ entity: 'e', key: 'k' }])).toBe(1)
    const [[row]] = await shared.getRows({ keys: ['e\0k'] })
    expect(Object.keys(row!.data as object)).toEqual(['theirs'])
    expect(await store.entities({ limit: 9 })).toEqual([])
    await shared.delete()
  })

  test('two processes that claim the same keys and count in one row agree on every one', async () => {
    const uri = `bigtable://${names.project}/${names.instance}/${names.table}`
    const outputs = await Promise.all(['ann', 'bob'].map((name) => runProgram('claim-and-count', uri, name, 100, 30)))
    const claims = outputs.map((output) => JSON.parse(output) as string[])
    await using store = bigtableStore(names)
    const rows = await store.scan('claims', { limit: 1000 })
    const owners = Map.groupBy(rows, ({ rec }) => new TextDecoder().decode(rec))
    expect(rows).toHaveLength(100)
    expect([owners.get('ann') ?? [], owners.get('bob') ?? []].map((mine) => mine.map(({ key }) => key))).toEqual(claims)
    expect(await store.load([{ entity: 'counters', key: 'shared' }])).toMatchObject([{ seq: 60 }])
  })

  test('a connection that is cut again and again loses no acknowledged write and tells no lie', async () => {
    await using proxy = await cutsOften(host!, 7)
    const through = new Bigtable({ projectId: names.project, apiEndpoint: proxy.address, metricsEnabled: false })
    const store = bigtableStore({ table: through.instance(names.instance).table(names.table) })
    // A chain of compare-and-sets: a write that was applied and reported stale would break it.
    await store.write([put('chain', 0, 'link 0')])
    for (let seq = 1; seq <= 60; seq++) {
      expect(await store.write([put('chain', seq, `link ${seq}`, { seq: seq - 1 })])).toEqual([{ status: 'applied' }])
    }
    expect(proxy.cuts()).toBeGreaterThan(2)
    expect(await store.load([{ entity: 'e', key: 'chain' }])).toEqual([put('chain', 60, 'link 60')])
    await store.close()
    await through.close()
  })
})

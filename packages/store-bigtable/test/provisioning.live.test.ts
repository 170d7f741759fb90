import { Bigtable, type Table } from '@google-cloud/bigtable'
import type { RowStore } from '@keepsake/core'
import { afterAll, describe, expect, test } from 'vitest'
import { bigtableStore } from '../src/bigtable-store.ts'
import { put } from './rows.ts'
import { serverUrl } from './server.ts'

const host = await serverUrl()

describe.skipIf(host === undefined)('Bigtable, at BIGTABLE_EMULATOR_HOST', () => {
  const client = new Bigtable({ projectId: 'keepsake', metricsEnabled: false })
  let count = 0
  const newTable = (): Table => client.instance('test').table(`provision-${process.pid}-${count++}`)

  afterAll(() => client.close())

  const calls: [method: string, call: (store: RowStore) => Promise<unknown>][] = [
    ['load', (store) => store.load([{ entity: 'e', key: 'k' }])],
    ['scan', (store) => store.scan('e', { limit: 1 })],
    ['entities', (store) => store.entities({ limit: 1 })],
    ['write', (store) => store.write([put('k', 1, 'x')])],
    ['remove', (store) => store.remove([{ entity: 'e', key: 'k' }])],
    ['removeEntity', (store) => store.removeEntity('e')],
    ['verify', (store) => store.verify()],
  ]

  test.each(calls)('%s on a table that is not there says to provision', async (_method, call) => {
    await expect(call(bigtableStore({ table: newTable() }))).rejects.toMatchObject({
      code: 'not_provisioned',
      message: expect.stringContaining('keepsake provision') as string,
    })
  })

  test('write and verify on a table without the family say to provision', async () => {
    const table = newTable()
    await table.create({ families: ['theirs'] })
    const store = bigtableStore({ table })
    await expect(store.write([put('k', 1, 'x')])).rejects.toMatchObject({ code: 'not_provisioned' })
    await expect(store.verify()).rejects.toMatchObject({
      code: 'not_provisioned',
      message: expect.stringContaining('no column family m') as string,
    })
    await store.provision()
    await store.verify()
    expect(await store.write([put('k', 1, 'x')])).toEqual([{ status: 'applied' }])
    await table.delete()
  })

  test('ten provision at once, by clients of their own; the family keeps one version', async () => {
    for (let round = 0; round < 3; round++) {
      const table = newTable()
      const stores = Array.from({ length: 10 }, () =>
        bigtableStore({ project: 'keepsake', instance: 'test', table: table.id }),
      )
      await Promise.all(stores.map((store) => store.provision()))
      await Promise.all(stores.map((store) => store.verify()))
      const [families] = await table.getFamilies()
      expect(families.map(({ id, metadata }) => [id, metadata?.gcRule?.maxNumVersions])).toEqual([['m', 1]])
      await Promise.all(stores.map((store) => store.provision({ down: true })))
      expect(await table.exists()).toEqual([false])
      await Promise.all(stores.map((store) => store.close()))
    }
  })

  test('down takes the whole table if it is ours, else our family, else nothing; twice is fine', async () => {
    const [ours, shared, theirs] = [newTable(), newTable(), newTable()]
    await bigtableStore({ table: ours }).provision()
    for (const table of [shared, theirs]) await table.create({ families: ['theirs'] })
    await bigtableStore({ table: shared }).provision()
    for (const table of [ours, shared, theirs]) {
      await bigtableStore({ table }).provision({ down: true })
      await bigtableStore({ table }).provision({ down: true })
    }
    expect(await ours.exists()).toEqual([false])
    for (const table of [shared, theirs]) {
      expect((await table.getFamilies())[0].map(({ id }) => id)).toEqual(['theirs'])
      await table.delete()
    }
  })

  test('a family whose cells expire by age is refused, as rows would vanish', async () => {
    const table = newTable()
    await table.create({ families: [{ name: 'm', rule: { age: { seconds: 86_400, nanos: 0 } } }] })
    const store = bigtableStore({ table })
    const refused = { code: 'unsupported', message: expect.stringContaining('rule by age') as string }
    await expect(store.verify()).rejects.toMatchObject(refused)
    await expect(store.provision()).rejects.toMatchObject(refused)
    await table.delete()
  })

  test('verifying changes nothing', async () => {
    const table = newTable()
    const store = bigtableStore({ table })
    await store.provision()
    await store.verify()
    expect((await table.getRows())[0]).toEqual([])
    await table.delete()
  })
})

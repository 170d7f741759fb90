import { Firestore } from '@google-cloud/firestore'
import type { RowStore } from '@keepsake/core'
import { afterAll, describe, expect, test } from 'vitest'
import { firestoreStore } from '../src/firestore-store.ts'
import { placesIn } from '../src/places.ts'
import { put } from './rows.ts'
import { freshProject, NEEDS_EMULATOR, serverUrl } from './server.ts'

const host = await serverUrl()

const firestore = new Firestore({ projectId: freshProject() })
const collection = 'entities'
const places = placesIn(firestore, collection)
afterAll(() => firestore.terminate())

/** Each store knows by itself which entities it has written, as each process does. */
const open = (): RowStore => firestoreStore({ client: firestore, collection })

async function isListed(entity: string): Promise<boolean> {
  return (await places.entity(entity).get()).exists
}

/** A client that does something else before one of its methods. */
function clientThat(method: 'getAll' | 'runTransaction', does: () => Promise<unknown>): Firestore {
  return new Proxy(firestore, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      const bound = value.bind(target) as (...args: unknown[]) => unknown
      if (name !== method) return bound
      return async (...args: unknown[]) => {
        await does()
        return bound(...args)
      }
    },
  })
}

describe.skipIf(host === undefined)(NEEDS_EMULATOR, () => {
  test.each(['absent', 'monotonic'] as const)(
    'an entity that another store removed is listed again with the next %s row',
    async (guard) => {
      await using mine = open()
      await using yours = open()
      await mine.write([put(`back ${guard}`, 'a', 1)])
      expect(await yours.removeEntity(`back ${guard}`)).toBe(1)
      expect(await mine.entities({ prefix: 'back', limit: 9 })).toEqual([])
      await mine.write([put(`back ${guard}`, 'b', 1, 'b', { guard })])
      expect(await yours.entities({ prefix: 'back', limit: 9 })).toEqual([`back ${guard}`])
      await yours.removeEntity(`back ${guard}`)
    },
  )

  test('a row that comes just before the name of its entity would go keeps it', async () => {
    await using writer = open()
    await writer.write([put('kept', 'a', 1)])
    const meanwhile = clientThat('runTransaction', () => writer.write([put('kept', 'b', 1)]))
    await using remover = firestoreStore({ client: meanwhile, collection })
    expect(await remover.removeEntity('kept')).toBe(1)
    expect(await writer.entities({ prefix: 'kept', limit: 9 })).toEqual(['kept'])
  })

  test('a repeat lists an entity that could not be listed again after its row was written', async () => {
    await using remover = open()
    let looks = 0
    const failing = clientThat('getAll', async () => {
      // The second read looks for the document of the entity.
      if (++looks === 2) throw Object.assign(new Error('The answer was lost.'), { code: 14 })
    })
    await using writer = firestoreStore({ client: failing, collection })
    await writer.write([put('repeated', 'a', 1, 'a', { guard: 'absent' })])
    await remover.removeEntity('repeated')
    const row = put('repeated', 'b', 1)
    await expect(writer.write([row])).rejects.toMatchObject({ code: 'unavailable', retryable: true })
    expect(await isListed('repeated')).toBe(false)
    expect(await writer.write([row])).toEqual([{ status: 'applied' }])
    expect(await remover.entities({ prefix: 'repeated', limit: 9 })).toEqual(['repeated'])
  })

  test('nothing of the name of an entity stays when its last row goes', async () => {
    await using store = open()
    await store.write([put('gone', 'a', 1), put('gone', 'b', 1)])
    await store.remove([{ entity: 'gone', key: 'a' }])
    expect(await isListed('gone')).toBe(true)
    await store.remove([{ entity: 'gone', key: 'b' }])
    expect(await isListed('gone')).toBe(false)
    await store.write([put('gone', 'a', 1)])
    await store.removeEntity('gone')
    expect(await isListed('gone')).toBe(false)
  })

  test('an entity whose rows a TTL policy took is not listed, and removing it removes its name', async () => {
    await using store = open()
    await store.write([put('expired', 'a', 1)])
    await places.row({ entity: 'expired', key: 'a' }).delete()
    expect(await store.entities({ prefix: 'expired', limit: 9 })).toEqual([])
    expect(await isListed('expired')).toBe(true)
    expect(await store.removeEntity('expired')).toBe(0)
    expect(await isListed('expired')).toBe(false)
  })

  test('a page is full although many that are listed have no rows', async () => {
    await using store = open()
    const names = Array.from({ length: 12 }, (_, i) => `page ${String(i).padStart(2, '0')}`)
    await store.write(names.map((name) => put(name, 'k', 1)))
    for (const name of names.slice(1, 11)) await places.row({ entity: name, key: 'k' }).delete()
    expect(await store.entities({ prefix: 'page', limit: 2 })).toEqual(['page 00', 'page 11'])
    expect(await store.entities({ prefix: 'page', after: 'page 00', limit: 1 })).toEqual(['page 11'])
  })

  test('who writes an entity while another removes it is listed, or has no rows', async () => {
    await using writer = open()
    await using remover = open()
    for (let round = 0; round < 20; round++) {
      const entity = `race ${round}`
      await writer.write([put(entity, 'first', 1)])
      await Promise.all([
        ...['a', 'b', 'c'].map((key) => writer.write([put(entity, key, 1)])),
        remover.removeEntity(entity),
      ])
      const rows = await writer.scan(entity, { limit: 9 })
      expect([entity, await isListed(entity)]).toEqual([entity, rows.length > 0])
    }
  })

  test('provision changes nothing, and down removes everything of the collection and nothing else', async () => {
    await using store = firestoreStore({ client: firestore, collection: 'down' })
    await using other = firestoreStore({ client: firestore, collection: 'other' })
    await store.write([put('a', 'k', 1), put('b', 'k', 1), put('b', 'l', 1)])
    await other.write([put('a', 'k', 1)])
    await store.provision()
    expect(await store.entities({ limit: 9 })).toEqual(['a', 'b'])
    await store.provision({ down: true })
    expect(await store.entities({ limit: 9 })).toEqual([])
    expect((await firestore.collection('down').get()).size).toBe(0)
    expect(await store.load([{ entity: 'b', key: 'l' }])).toEqual([undefined])
    expect(await other.entities({ limit: 9 })).toEqual(['a'])
    await store.verify()
  })
})

import { afterEach, describe, expect, test, vi } from 'vitest'
import { firestoreStore } from '../src/firestore-store.ts'
import { cutsOften } from './cut-connection.ts'
import { put } from './rows.ts'
import { freshProject, NEEDS_EMULATOR, serverUrl } from './server.ts'

const host = await serverUrl()

afterEach(() => {
  vi.unstubAllEnvs()
})

describe.skipIf(host === undefined)(NEEDS_EMULATOR, () => {
  test('a connection that is cut again and again loses no acknowledged write and tells no lie', async () => {
    await using proxy = await cutsOften(host!, 23)
    vi.stubEnv('FIRESTORE_EMULATOR_HOST', proxy.address)
    await using store = firestoreStore({ project: freshProject(), collection: 'memory' })
    // A chain of compare-and-sets: a write that was applied and reported stale would break it.
    await store.write([put('e', 'chain', 0)])
    for (let seq = 1; seq <= 60; seq++) {
      const link = put('e', 'chain', seq, `link ${seq}`, { guard: { seq: seq - 1 } })
      expect(await store.write([link])).toEqual([{ status: 'applied' }])
    }
    expect(proxy.cuts()).toBeGreaterThan(2)
    expect(await store.load([{ entity: 'e', key: 'chain' }])).toEqual([put('e', 'chain', 60, 'link 60')])
  })
})

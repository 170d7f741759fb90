import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { Firestore } from '@google-cloud/firestore'
import type { RowStore } from '@keepsake/core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { firestoreStore } from '../src/firestore-store.ts'
import { startProgram } from './program.ts'
import { put } from './rows.ts'

// The variable would lead the clients elsewhere. They look for Google's metadata server on every machine.
delete process.env['FIRESTORE_EMULATOR_HOST']
process.env['METADATA_SERVER_DETECTION'] = 'none'

const calls: [string, (store: RowStore) => Promise<unknown>][] = [
  ['load', (store) => store.load([{ entity: 'e', key: 'k' }])],
  ['scan', (store) => store.scan('e', { limit: 1 })],
  ['entities', (store) => store.entities({ limit: 1 })],
  ['write', (store) => store.write([put('e', 'k', 1)])],
  ['a claim', (store) => store.write([put('e', 'k', 1, 'x', { guard: 'absent' })])],
  ['remove', (store) => store.remove([{ entity: 'e', key: 'k' }])],
  ['removeEntity', (store) => store.removeEntity('e')],
  ['verify', (store) => store.verify()],
]

function storeAt(port: number): RowStore {
  const client = new Firestore({ projectId: 'my-project', host: `127.0.0.1:${port}`, ssl: false })
  return firestoreStore({ client, collection: 'memory', requestTimeoutMs: 200 })
}

describe('where nobody listens', () => {
  test.each(calls)('%s rejects in time, and may be tried again', async (_, call) => {
    await using store = storeAt(1)
    await expect(call(store)).rejects.toMatchObject({ code: 'unavailable', retryable: true })
  })
})

describe('where nobody answers', () => {
  test.each(calls)('%s rejects in time, and may be tried again', async (_, call) => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    onTestFinished(() => void silent.close())
    await once(silent, 'listening')
    await using store = storeAt((silent.address() as AddressInfo).port)
    await expect(call(store)).rejects.toMatchObject({ code: 'unavailable', retryable: true })
  })

  test('an aborted call rejects at once', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    onTestFinished(() => void silent.close())
    await once(silent, 'listening')
    await using store = storeAt((silent.address() as AddressInfo).port)
    const controller = new AbortController()
    const calling = store.load([{ entity: 'e', key: 'k' }], { signal: controller.signal })
    controller.abort()
    await expect(calling).rejects.toMatchObject({ code: 'aborted' })
  })
})

test("Google's client is loaded at the first use, and missing credentials reject instead of ending the process", async () => {
  const program = startProgram('open-only')
  const { value } = await program.lines.next()
  await program.ended()
  expect(JSON.parse(value as string)).toEqual({ before: 0, after: true, outcome: 'unavailable' })
})

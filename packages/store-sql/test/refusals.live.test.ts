import { createServer, type AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { KeepsakeError } from '@keepsake/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { liveDatabases } from './live-database.ts'
import { postgresStore } from '../src/postgres-store.ts'
import { row } from './rows.ts'

/** What is wrong is said soon, not when patience ends. */
const SOON = { timeout: 5000 }
const SECRET = 'hunter2-k33p'

async function failure(call: Promise<unknown>): Promise<KeepsakeError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!KeepsakeError.isInstance(error)) throw new Error('a KeepsakeError was expected', { cause: error })
  // What a program prints, with everything that hangs on it.
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(SECRET)
  expect(JSON.stringify(error)).not.toContain(SECRET)
  return error
}

function changed(url: string, change: (address: URL) => void): string {
  const address = new URL(url)
  change(address)
  return address.href
}

describe.each(await liveDatabases())('$name', (database) => {
  const { url } = database
  beforeAll(async () => {
    await database.create()
    await using store = database.open()
    await store.provision()
  })
  afterAll(() => database[Symbol.asyncDispose]())

  test.each([
    ['no server there', (a: URL) => (a.port = '1'), 'cannot be reached'],
    ['no host of that name', (a: URL) => (a.hostname = 'nowhere.invalid'), 'cannot be reached'],
    ['a database that does not exist', (a: URL) => (a.pathname = '/nothing_here'), 'does not exist on this server'],
    ['a user that may not', (a: URL) => (a.username = 'keepsake_nobody'), 'refused the user or the password'],
  ])('%s', SOON, async (_, change, text) => {
    const wrong = changed(url, (address) => {
      address.password = SECRET
      change(address)
      // MariaDB asks the password of a user that exists.
      if (database.name === 'mysql' && address.username === 'root') address.password = new URL(url).password
    })
    await using store = database.open({ url: wrong })
    for (const call of [() => store.load([row()]), () => store.verify(), () => store.provision()]) {
      const error = await failure(call())
      expect([error.code, error.message]).toEqual(['unavailable', expect.stringContaining(text)])
    }
  })

  if (database.name === 'mysql')
    test('a wrong password', SOON, async () => {
      await database.run(`CREATE USER keepsake_ada IDENTIFIED BY 'another one'`)
      const wrong = changed(url, (address) => Object.assign(address, { username: 'keepsake_ada', password: SECRET }))
      await using store = database.open({ url: wrong })
      const error = await failure(store.load([row()]))
      await database.run('DROP USER keepsake_ada')
      expect([error.code, error.retryable]).toEqual(['unavailable', false])
      expect(error.message).toContain('refused the user or the password')
    })

  // A replica cannot be had here, and the variable of MySQL is the whole server's.
  if (database.name === 'postgres')
    test('a read-only session', SOON, async () => {
      const readOnly = changed(url, (address) =>
        address.searchParams.set('options', '-c default_transaction_read_only=on'),
      )
      await using store = database.open({ url: readOnly })
      for (const call of [() => store.load([row()]), () => store.write([row()]), () => store.verify()]) {
        const error = await failure(call())
        expect([error.code, error.message]).toEqual(['unsupported', expect.stringContaining('is read-only')])
      }
    })

  test('an error of the server that holds what was stored says nothing of it', async () => {
    await using store = database.open()
    await store.provision()
    await database.run('ALTER TABLE keepsake_rows ADD CONSTRAINT small CHECK (seq < 1000)')
    const error = await failure(store.write([row({ key: 'content-of-a-key', seq: 1000 })]))
    expect([error.code, error.retryable]).toEqual(['unavailable', false])
    expect(error.message).toMatch(/^The .+ database answered with an error \(.+\); the cause has it\.$/)
    expect(await store.write([row()])).toEqual([{ status: 'applied' }])
  })
})

// The server of these tests takes every password.
test('a wrong password in PostgreSQL is refused, and is not shown', SOON, async () => {
  const asksForPassword = message('R', Buffer.from([0, 0, 0, 3]))
  const refuses = message('E', 'SFATAL\0VFATAL\0C28P01\0Mpassword authentication failed for user "ada"\0\0')
  let tries = 0
  await using server = createServer((socket) => {
    socket.once('data', () => {
      socket.write(asksForPassword)
      socket.once('data', (password) => {
        if (password.includes(SECRET)) tries++
        socket.end(refuses)
      })
    })
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  await using store = postgresStore({
    url: `postgres://ada:${SECRET}@127.0.0.1:${(server.address() as AddressInfo).port}/app`,
  })
  const error = await failure(store.load([row()]))
  expect([error.code, error.details, error.retryable]).toEqual(['unavailable', { code: '28P01' }, false])
  expect(error.message).toContain('refused the user or the password')
  expect(tries).toBe(1)
})

/** Of PostgreSQL's protocol: https://www.postgresql.org/docs/current/protocol-message-formats.html */
function message(type: string, ...parts: (string | Buffer)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)))
  const length = Buffer.alloc(4)
  length.writeInt32BE(body.length + 4)
  return Buffer.concat([Buffer.from(type), length, body])
}

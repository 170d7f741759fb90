import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { liveDatabases } from './live-database.ts'
import { failure, SECRET } from './failure.ts'
import { row } from './rows.ts'

/** What is wrong is said soon, not when patience ends. */
const SOON = { timeout: 5000 }

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

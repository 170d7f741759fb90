import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { KeepsakeError } from '@keepsake/core'
import { describe, expect, it } from 'vitest'
import { drivers, openExistingStore, openStore, storeMigrations, storePackages } from '../src/index.ts'
import { tempFolder } from './temp-folder.ts'

const row = { entity: 'e', key: 'k', seq: 1, rec: new Uint8Array([7]), updatedAtMs: 5 }

async function failure(promise: Promise<unknown>): Promise<KeepsakeError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!KeepsakeError.isInstance(error)) throw new Error('a KeepsakeError was expected', { cause: error })
  return error
}

describe('openStore', () => {
  it('gives a new, empty store for memory://', async () => {
    await using first = await openStore('memory://')
    await first.write([row])
    await using second = await openStore('memory://')
    expect([first.name, await second.load([row])]).toEqual(['memory', [undefined]])
  })

  it.each(['sqlite:', 'sqlite://', 'file:', 'SQLITE:'])('keeps rows in a file with %s', async (scheme) => {
    const folder = tempFolder()
    const uri = `${scheme}${join(folder, 'a %41?x=1#.db')}`
    {
      await using store = await openStore(uri)
      expect(await store.write([row])).toEqual([{ status: 'applied' }])
    }
    await using again = await openStore(uri)
    expect(await again.load([row])).toEqual([row])
    expect(readdirSync(folder)).toContain('a %41?x=1#.db')
  })

  it.each(['redis://127.0.0.1:1', 'rediss://127.0.0.1:1', 'redis+cluster://127.0.0.1:1'])(
    'opens %s, which connects when it is first used',
    async (uri) => {
      await using store = await openStore(uri)
      expect(store.name).toBe('redis')
    },
  )

  it.each([
    ['postgres', 'postgres'],
    ['postgresql', 'postgres'],
    ['mysql', 'mysql'],
    ['mariadb', 'mysql'],
  ])('opens %s://, which connects when it is first used', async (scheme, name) => {
    await using store = await openStore(`${scheme}://ada:hunter2@127.0.0.1:1/d`)
    expect(store.name).toBe(name)
  })

  it.each([
    ['firestore://project/c', 'firestore'],
    ['bigtable://project/instance/table', 'bigtable'],
  ])('opens %s, which connects when it is first used', async (uri, name) => {
    await using store = await openStore(uri)
    expect(store.name).toBe(name)
  })

  it('lists the schemes and their packages for one that nobody knows', async () => {
    const error = await failure(openStore('cassandra://h/d'))
    expect(error.code).toBe('unsupported')
    for (const text of ['sqlite:', '@keepsake/store-sql', 'redis:', '@keepsake/store-redis', 'bigtable:', 'memory:']) {
      expect(error.message).toContain(text)
    }
  })

  it.each([
    'postgres://ada:hunter2@h:99999/d',
    'postgres:ada:hunter2@h/d',
    'mysql://ada:hunter2@[/d',
    'redis://ada:hunter2@h /0',
    'unknown://ada:hunter2@h/d',
    'ada:hunter2@h/d',
    'memory://ada:hunter2@h',
    'firestore://ada:hunter2@h',
    'bigtable://hunter2',
    'sqlite:hunter2\0',
    '//ada:hunter2@h',
    'hunter2',
  ])('keeps the password of %j out of the error', async (uri) => {
    const error = await failure(openStore(uri))
    const told = [error.message, error.stack, JSON.stringify(error.details), String(error.cause)].join('\n')
    expect(told).not.toContain('hunter2')
    expect(['invalid_value', 'unsupported']).toContain(error.code)
  })

  it.each([undefined, null, 5, {}, ''])('refuses %j', async (uri) => {
    expect((await failure(openStore(uri as string))).code).toBe('invalid_value')
  })

  it('has drivers that can stand beside those of others', () => {
    expect(drivers.map(({ schemes }) => schemes)).toEqual([
      ['sqlite', 'file'],
      ['postgres', 'postgresql'],
      ['mysql', 'mariadb'],
      ['redis', 'rediss', 'redis+cluster'],
      ['firestore'],
      ['bigtable'],
    ])
    expect(Object.isFrozen(drivers)).toBe(true)
  })
})

describe('openExistingStore', () => {
  it('refuses a file that is not there, and makes none', async () => {
    const folder = tempFolder()
    const path = join(folder, 'app.db')
    const error = await failure(openExistingStore(`sqlite:${path}`))
    expect([error.code, error.message, error.details]).toEqual([
      'not_provisioned',
      `There is no file ${path}. If the path is right, \`keepsake provision\` creates it.`,
      { path },
    ])
    expect(readdirSync(folder)).toEqual([])
  })

  it('leaves the database of another application without our tables', async () => {
    const folder = tempFolder()
    const path = join(folder, 'other.db')
    const other = new DatabaseSync(path)
    other.exec('PRAGMA journal_mode = WAL; CREATE TABLE theirs (x)')
    other.close()
    const before = readFileSync(path)
    {
      await using store = await openExistingStore(`sqlite:${path}`)
      expect((await failure(store.verify())).code).toBe('not_provisioned')
      expect((await failure(store.entities({ limit: 1 }))).code).toBe('not_provisioned')
    }
    expect(readFileSync(path)).toEqual(before)
  })

  it('leaves an empty file empty', async () => {
    const folder = tempFolder()
    const path = join(folder, 'empty.db')
    writeFileSync(path, '')
    await using store = await openExistingStore(`sqlite:${path}`)
    expect((await failure(store.verify())).code).toBe('not_provisioned')
  })

  it('reads what is there', async () => {
    const folder = tempFolder()
    const path = join(folder, 'app.db')
    {
      await using store = await openStore(`sqlite:${path}`)
      await store.write([row])
    }
    await using existing = await openExistingStore(`sqlite:${path}`)
    await existing.verify()
    expect(await existing.load([row])).toEqual([row])
  })

  it.each(['memory://', 'sqlite::memory:'])('opens %s as openStore does', async (uri) => {
    await using store = await openExistingStore(uri)
    await store.provision()
    await store.write([row])
    expect(await store.load([row])).toEqual([row])
  })
})

describe('storeMigrations', () => {
  it('is what provisions a SQLite file, and opens none', async () => {
    const folder = tempFolder()
    const path = join(folder, 'app.db')
    const migrations = await storeMigrations(`sqlite:${path}`)
    expect(migrations?.map(({ version, name }) => [version, name])).toEqual([[1, 'rows']])
    expect(existsSync(path)).toBe(false)

    const own = new DatabaseSync(path)
    for (const statement of migrations!.flatMap(({ up }) => up)) own.exec(statement)
    own.close()
    await using store = await openExistingStore(`sqlite:${path}`)
    await store.verify()
  })

  it.each([
    ['postgres://h/d', 'entity_key TEXT COLLATE "C"'],
    ['postgresql://h/d', 'rec BYTEA'],
    ['mysql://h/d', 'entity_key VARBINARY(512)'],
    ['mariadb://h/d', 'rec LONGBLOB'],
  ])('is in the language of %s', async (uri, text) => {
    const migrations = await storeMigrations(uri)
    expect(migrations?.flatMap(({ up }) => up).join('\n')).toContain(text)
  })

  it('is undefined where no statements are needed', async () => {
    expect(await storeMigrations('memory://')).toBeUndefined()
  })
})

describe('storePackages', () => {
  it('finds what is installed here', () => {
    expect(storePackages()).toEqual([
      {
        name: '@keepsake/store-sql',
        version: '0.0.0',
        schemes: ['sqlite', 'file', 'postgres', 'postgresql', 'mysql', 'mariadb'],
      },
      { name: '@keepsake/store-redis', version: '0.0.0', schemes: ['redis', 'rediss', 'redis+cluster'] },
      { name: '@keepsake/store-firestore', version: '0.0.0', schemes: ['firestore'] },
      { name: '@keepsake/store-bigtable', version: '0.0.0', schemes: ['bigtable'] },
    ])
  })
})

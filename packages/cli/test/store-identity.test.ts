import { symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hashIdentity, storeIdentity } from '../src/store-identity.ts'
import { tempFolder } from './keepsake.ts'

const hashOf = (uri: string): string => hashIdentity(storeIdentity(uri)!)

describe('storeIdentity', () => {
  it.each<[uri: string, identity: string | undefined]>([
    ['memory://', undefined],
    ['sqlite::memory:', undefined],
    [
      'postgresql://ada:hunter2@db:5432/app?sslmode=require&password=hunter2&options=-csearch_path%3Da',
      'postgres://db:5432/app?options=-csearch_path%3Da&sslmode=require',
    ],
    ['mariadb://db/app', 'mysql://db/app?'],
    ['redis://:hunter2@db:6379/3', 'redis://db:6379/3?'],
    ['firestore://p/c', 'firestore://p/c'],
    ['bigtable://p/i/t', 'bigtable://p/i/t'],
  ])('of %s', (uri, identity) => {
    expect(storeIdentity(uri)).toBe(identity)
  })

  it('of a file is the file, by whatever path and scheme', () => {
    const folder = tempFolder()
    const path = join(folder, 'a.db')
    writeFileSync(path, '')
    symlinkSync(path, join(folder, 'link.db'))
    const uris = [`sqlite:${path}`, `file://${path}`, `sqlite:${relative('.', path)}`, `sqlite:${folder}/./link.db`]
    expect(new Set(uris.map((uri) => storeIdentity(uri))).size).toBe(1)
    expect(storeIdentity(`sqlite:${folder}/b.db`)).toBe(`file:${folder}/b.db`)
  })

  it('changes with whatever leads to another store, and not with a secret', () => {
    const one = hashOf('postgres://ada:old@db/app?options=a')
    expect(hashOf('postgres://bob:new@db/app?options=a&sslcert=x')).toBe(one)
    for (const uri of ['postgres://db2/app?options=a', 'postgres://db/app2?options=a', 'postgres://db/app?options=b']) {
      expect(hashOf(uri)).not.toBe(one)
    }
    expect(one).toMatch(/^[0-9a-f]{64}$/)
  })

  it('says what is wrong with an address', () => {
    expect(() => storeIdentity('app.db')).toThrow('A store URI begins with its scheme')
  })
})

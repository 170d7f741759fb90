import { describe, expect, it } from 'vitest'
import { knownSchemes, parseStoreUri, type StoreUri } from '../src/rows/store-uri.ts'
import { caught } from './caught.ts'

const file = (path: string, scheme = 'sqlite'): StoreUri => ({ kind: 'file', scheme, path })
const server = (url: string): StoreUri => ({ kind: 'server', scheme: url.slice(0, url.indexOf(':')), url })

describe('parseStoreUri', () => {
  it.each<[string, StoreUri]>([
    ['memory://', { kind: 'memory', scheme: 'memory' }],
    ['memory:', { kind: 'memory', scheme: 'memory' }],
    ['MEMORY://', { kind: 'memory', scheme: 'memory' }],
    ['sqlite:app.db', file('app.db')],
    ['sqlite://app.db', file('app.db')],
    ['sqlite:a:b@c/app.db', file('a:b@c/app.db')],
    ['sqlite:///srv/a:b@c/app.db', file('/srv/a:b@c/app.db')],
    ['SQLite:App.DB', file('App.DB')],
    ['sqlite:///var/lib/app.db', file('/var/lib/app.db')],
    ['sqlite:/var/lib/app.db', file('/var/lib/app.db')],
    ['sqlite:./a b/ü.db', file('./a b/ü.db')],
    ['sqlite:a%20b.db', file('a%20b.db')],
    ['sqlite:app.db?mode=ro#x', file('app.db?mode=ro#x')],
    ['sqlite:C:\\data\\app.db', file('C:\\data\\app.db')],
    ['sqlite::memory:', file(':memory:')],
    ['file:app.db', file('app.db', 'file')],
    ['file:///app.db', file('/app.db', 'file')],
    ['postgres://localhost/app', server('postgres://localhost/app')],
    [
      'postgresql://u:p%40ss@db.example:5432/app?sslmode=require',
      server('postgresql://u:p%40ss@db.example:5432/app?sslmode=require'),
    ],
    ['postgres:///app?host=/var/run', server('postgres:///app?host=/var/run')],
    ['mysql://root@127.0.0.1:3306/app', server('mysql://root@127.0.0.1:3306/app')],
    ['mariadb://[::1]:3306/app', server('mariadb://[::1]:3306/app')],
    ['redis+cluster://u:p@a:7000,b:7001', server('redis+cluster://u:p@a:7000,b:7001')],
    ['postgres://a:5432,b:5432/app', server('postgres://a:5432,b:5432/app')],
    ['redis://localhost:6379/0', server('redis://localhost:6379/0')],
    ['rediss://:secret@cache:6380', server('rediss://:secret@cache:6380')],
    ['redis+cluster://node1:7000', server('redis+cluster://node1:7000')],
    [
      'firestore://my-project/memory',
      { kind: 'firestore', scheme: 'firestore', project: 'my-project', collection: 'memory' },
    ],
    ['bigtable://p/i/t', { kind: 'bigtable', scheme: 'bigtable', project: 'p', instance: 'i', table: 't' }],
    ['kv://anything at all', { kind: 'other', scheme: 'kv', text: '//anything at all' }],
    ['x-1.2+y:', { kind: 'other', scheme: 'x-1.2+y', text: '' }],
    ['constructor:x', { kind: 'other', scheme: 'constructor', text: 'x' }],
    ['https://example.com', { kind: 'other', scheme: 'https', text: '//example.com' }],
  ])('%s', (uri, parsed) => {
    expect(parseStoreUri(uri)).toStrictEqual(parsed)
  })

  it.each<[unknown, string]>([
    [undefined, 'A store URI must be a string; it is undefined.'],
    [null, 'A store URI must be a string; it is null.'],
    [new URL('sqlite:app.db'), 'A store URI must be a string; it is a URL.'],
    [
      '',
      'A store URI begins with its scheme, as in sqlite:app.db. Known schemes: memory: (@keepsake/core), sqlite: file:',
    ],
    ['app.db', 'begins with its scheme'],
    [' sqlite:app.db', 'begins with its scheme'],
    ['://app.db', 'begins with its scheme'],
    ['1sql:app.db', 'begins with its scheme'],
    ['s_q:app.db', 'begins with its scheme'],
    ['memory://name', 'This is no memory: address. It has the form memory://.'],
    ['memory:///', 'This is no memory: address.'],
    ['sqlite:', 'This is no sqlite: address. It has the form sqlite:PATH.'],
    ['sqlite://', 'This is no sqlite: address.'],
    ['file:', 'This is no file: address. It has the form file:PATH.'],
    ['sqlite:a\0b', 'holds a control character'],
    ['sqlite:app.db\n', 'holds a control character'],
    ['postgres://localhost/app\r\n', 'holds a control character'],
    [
      'postgres:localhost',
      'This is no postgres: address. It has the form postgres://[USER:PASSWORD@]HOST[:PORT][/DATABASE].',
    ],
    ['postgres:/localhost', 'This is no postgres: address.'],
    ['postgres://host:port/app', 'This is no postgres: address.'],
    ['mysql://host:99999/app', 'This is no mysql: address.'],
    ['redis://[::1/0', 'This is no redis: address.'],
    ['redis+cluster:node1', 'This is no redis+cluster: address.'],
    ['firestore://project', 'This is no firestore: address. It has the form firestore://PROJECT/COLLECTION.'],
    ['firestore://project/', 'This is no firestore: address.'],
    ['firestore:///memory', 'This is no firestore: address.'],
    ['firestore://p/c/d', 'This is no firestore: address.'],
    ['firestore:p/c', 'This is no firestore: address.'],
    ['bigtable://p/i', 'This is no bigtable: address. It has the form bigtable://PROJECT/INSTANCE/TABLE.'],
    ['bigtable://p//t', 'This is no bigtable: address.'],
  ])('refuses %j', async (uri, message) => {
    const error = await caught(() => parseStoreUri(uri as string))
    expect(error.code).toBe('invalid_value')
    expect(error.message).toContain(message)
  })

  it.each([
    'postgres:ada:hunter2@db/app',
    'sqlite://ada:hunter2@db/app',
    'file://ada:hunter2@db',
    'firestore://ada:hunter2@project/memories',
    'bigtable://ada:hunter2@project/instance/table',
    'postgres://ada:hunter2@db:port/app',
    'postgres://ada:hunter2@db/app\n',
    'mysql://ada:hunter2@[db/app',
    'redis://:hunter2@cache:99999',
    'rediss:hunter2',
    'memory://hunter2',
    'firestore://hunter2',
    'bigtable://hunter2/i',
    '//ada:hunter2@db/app',
    'hunter2',
  ])('never repeats the password of %s', async (uri) => {
    const error = await caught(() => parseStoreUri(uri))
    expect(`${error.message}${JSON.stringify(error.details)}${String(error.cause)}`).not.toContain('hunter2')
  })
})

describe('knownSchemes', () => {
  it('lists every scheme with its package', () => {
    expect(knownSchemes()).toBe(
      'Known schemes: memory: (@keepsake/core), sqlite: file: postgres: postgresql: mysql: mariadb: (@keepsake/store-sql), ' +
        'redis: rediss: redis+cluster: (@keepsake/store-redis), firestore: (@keepsake/store-firestore), bigtable: (@keepsake/store-bigtable).',
    )
  })
})

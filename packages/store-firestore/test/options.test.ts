import type { Firestore } from '@google-cloud/firestore'
import { describe, expect, test } from 'vitest'
import { driver } from '../src/driver.ts'
import { firestoreStore } from '../src/firestore-store.ts'
import type { FirestoreStoreOptions } from '../src/options.ts'

const good = { project: 'my-project', collection: 'memory' }

function refusal(options: object): string {
  try {
    firestoreStore(options as FirestoreStoreOptions)
  } catch (error) {
    expect(error).toMatchObject({ code: 'invalid_value', retryable: false })
    return (error as Error).message
  }
  return ''
}

describe('projects', () => {
  test.each(['abc', 'my-project', 'p-123456', `p${'x'.repeat(29)}`, 'example.com:my-project'])(
    '%j is fine',
    (project) => expect(refusal({ ...good, project })).toBe(''),
  )

  test.each([
    '',
    'ab',
    'My-Project',
    '1project',
    'project-',
    'a_b',
    'a/b',
    '../..',
    'a b',
    `p${'x'.repeat(30)}`,
    'a\nb',
    7,
  ])('%j is refused', (project) =>
    expect(refusal({ ...good, project })).toContain('project must be the id of a project'),
  )
})

describe('databases', () => {
  test.each([undefined, '(default)', 'memory', 'a-1b'])('%j is fine', (database) =>
    expect(refusal({ ...good, database })).toBe(''),
  )

  test.each(['', 'abc', 'Memory', 'a/b/c', '(other)', 'memory-', '1abc', `m${'x'.repeat(63)}`, null])(
    '%j is refused',
    (database) => expect(refusal({ ...good, database })).toContain('database must be'),
  )
})

describe('collections', () => {
  test.each([
    'm',
    'memory',
    'a.b',
    '...',
    '__a',
    'a__',
    '__',
    'é😀',
    'a b',
    '%2F',
    '`',
    'constructor',
    'x'.repeat(1500),
  ])('%j is fine', (collection) => expect(refusal({ ...good, collection })).toBe(''))

  test.each([
    '',
    '.',
    '..',
    '/',
    'a/b',
    'a/b/c',
    '__a__',
    '____',
    '__\n__',
    'a\0',
    '\ud800',
    'x'.repeat(1501),
    undefined,
    7,
  ])('%j is refused', (collection) => expect(refusal({ ...good, collection })).toContain('collection must be'))
})

test.each([0, -1, 1.5, Number.NaN, Infinity, '1000', null])('requestTimeoutMs %j is refused', (requestTimeoutMs) =>
  expect(refusal({ ...good, requestTimeoutMs })).toContain('requestTimeoutMs must be'),
)

test('neither project nor client, or both, is refused', () => {
  expect(refusal({ collection: 'memory' })).toContain('give either project or client')
  expect(refusal({ ...good, client: {} })).toContain('give either project or client')
})

test('a client that is none, or comes with a database, is refused', () => {
  expect(refusal({ client: {}, collection: 'memory' })).toContain('client must be a Firestore')
  expect(refusal({ client: null, collection: 'memory' })).toContain('it is null')
  const client = { getAll() {}, batch() {} } as unknown as Firestore
  expect(refusal({ client, collection: 'memory', database: 'other' })).toContain('either database or client')
  expect(refusal({ client, collection: 'memory' })).toBe('')
})

test('the driver takes firestore://PROJECT/COLLECTION', async () => {
  expect(driver.schemes).toEqual(['firestore'])
  const store = await driver.open('firestore://my-project/memory')
  expect(store.name).toBe('firestore')
  await store.close()
})

test.each([
  'firestore://my-project',
  'firestore://my-project/a/b',
  'firestore:my-project/a',
  'firestore://P/a',
  'firestore://my-project/..',
])('the driver refuses %s', (uri) =>
  expect(() => driver.open(uri)).toThrow(expect.objectContaining({ code: 'invalid_value' })),
)

test('the driver refuses other addresses', () => {
  expect(() => driver.open('memory://')).toThrow(/has the form firestore:/)
})

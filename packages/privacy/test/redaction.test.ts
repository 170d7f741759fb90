import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chatMemory, inMemoryStore, inProcessIndex, records, type RowStore, type SearchIndex } from '@keepsake/core'
import { withTelemetry } from '@keepsake/core/telemetry'
import { testMemoryModels, testRowStore } from '@keepsake/store-testing'
import { createRedactor, defaultPatterns, matching, redacted } from '../src/index.ts'
import { encrypted, keyring, subjectKeys } from '../src/encryption/index.ts'
import keptTexts from './corpus/kept.json' with { type: 'json' }
import redacted300 from './corpus/redacted.json' with { type: 'json' }

/** Numbers are examples of documentations (RFC 2606, 3849, 5737; test cards; the SWIFT registry), or made up by another program. */
const redactedTexts = redacted300 as [text: string, expected: string][]

const open = async (): Promise<RowStore> => redacted(inMemoryStore())
testRowStore('redacted memory', open)
testMemoryModels('redacted memory', open)

describe('the corpus', () => {
  const redactor = createRedactor()
  it('has 300 texts of each kind', () => {
    expect(redactedTexts.length).toBeGreaterThanOrEqual(300)
    expect(keptTexts.length).toBeGreaterThanOrEqual(300)
  })
  it.each(redactedTexts)('%j becomes %j', async (text, expected) => {
    expect(await redactor.text(text, 't')).toBe(expected)
    // What was redacted is ordinary text.
    expect(redactor.find(expected)).toEqual([])
  })
  it.each(keptTexts)('%j stays', (text) => {
    expect(redactor.find(text)).toEqual([])
  })
})

describe('createRedactor', () => {
  it('gives equal findings equal placeholders within one scope, and nowhere else', async () => {
    const redactor = createRedactor({ secret: 'of this test' })
    const text = await redactor.text('a@example.com b@example.com a@example.com', 'thread 1')
    const [first, second, third] = text.split(' ')
    expect(first).toMatch(/^\[EMAIL_[0-9a-f]{6}\]$/)
    expect(third).toBe(first)
    expect(second).not.toBe(first)
    expect(await redactor.text('a@example.com', 'thread 1')).toBe(first)
    expect(await redactor.text('a@example.com', 'thread 2')).not.toBe(first)
    expect(await createRedactor({ secret: 'another' }).text('a@example.com', 'thread 1')).not.toBe(first)
    expect(redactor.find(text)).toEqual([])
  })

  it('redacts every text of a value, names of fields too, and loses nothing', async () => {
    const value = { 'a@example.com': 1, 'b@example.com': [2, 'x 10.0.0.5'], n: null, bytes: new Uint8Array([1]) }
    expect(await createRedactor().value(value, 't')).toEqual({
      '[EMAIL]': 1,
      '[EMAIL] (2)': [2, 'x [IP]'],
      n: null,
      bytes: new Uint8Array([1]),
    })
    const untouched = { a: [1, { b: 'nothing' }] }
    expect(await createRedactor().value(untouched, 't')).toBe(untouched)
  })

  it('takes 50,000 fields that are named by addresses in time that grows with their number', async () => {
    // In quadratic time this test would not end.
    const byAddress = Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`user${n}@example.com`, n]))
    const names = Object.keys((await createRedactor().value(byAddress, 's')) as object)
    expect([names.length, names[0], names[1], names.at(-1)]).toEqual([
      50_000,
      '[EMAIL]',
      '[EMAIL] (2)',
      '[EMAIL] (50000)',
    ])
  })

  it('takes own patterns, which win over later ones', async () => {
    const staff = matching('STAFF', /\bE-(\d{6})\b/g)
    const redactor = createRedactor({ patterns: [staff, ...defaultPatterns] })
    expect(await redactor.text('E-123456 is ada@example.com', 't')).toBe('E-[STAFF] is [EMAIL]')
    expect(redactor.find('E-123456')).toEqual([{ name: 'STAFF', start: 2, end: 8 }])
  })

  it('leaves nothing between overlapping findings out of order', () => {
    const span = (name: string, start: number, end: number) => ({ name, find: () => [{ start, end }] })
    const found = createRedactor({ patterns: [span('B', 4, 8), span('A', 0, 5), span('C', 8, 9), span('D', 0, 2)] })
    expect(found.find('0123456789').map(({ name }) => name)).toEqual(['D', 'B', 'C'])
  })

  it.each([
    [{ patterns: [{ name: 'lower', find: () => [] }] }, /a name of capital letters, digits and _/],
    [{ secret: '' }, /The secret of a redaction is empty/],
  ])('refuses %j', (options, message) => {
    expect(() => createRedactor(options)).toThrow(message)
  })

  it('takes any text, and its findings are in order and apart', () => {
    const redactor = createRedactor()
    const piece = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...redactedTexts.map(([text]) => text)))
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
        const text = pieces.join(' ')
        const found = redactor.find(text)
        for (const [i, { start, end }] of found.entries()) {
          expect(start).toBeGreaterThanOrEqual(i === 0 ? 0 : found[i - 1]!.end)
          expect(end).toBeGreaterThan(start)
          expect(end).toBeLessThanOrEqual(text.length)
        }
      }),
      { numRuns: 500 },
    )
  })

  it.each([
    'a',
    '1',
    '1 ',
    '1-',
    '(',
    '+',
    '@',
    'a@',
    'a.',
    ':',
    '1:',
    'sk-',
    '4111 ',
    'password=',
    'a:b@',
    '.',
    'DE89 ',
    'eyJ-',
    'eyJaaaaaaaa.eyJ-',
  ])('is linear on a megabyte of %j', (unit) => {
    // In quadratic time this test would not end.
    const found = createRedactor().find(unit.repeat(1_000_000 / unit.length))
    expect(found.length).toBeLessThan(1_000_000)
  })
})

describe('redacted', () => {
  it('keeps what it finds out of messages and records, and lets equal writes stay equal', async () => {
    const inner = inMemoryStore()
    const store = redacted(inner, { secret: 'of this test' })
    const chat = chatMemory(store)
    await chat.append('t', [{ role: 'user', content: 'I am ada@example.com' }], { owner: 'u1', opId: 'one' })
    await chat.append('t', [{ role: 'user', content: 'I am ada@example.com' }], { owner: 'u1', opId: 'one' })
    const messages = await chat.messages('t')
    expect(messages.map(({ content }) => content)).toEqual([expect.stringMatching(/^I am \[EMAIL_[0-9a-f]{6}\]$/)])
    await records(store, 'u1').put(['card'], { number: '4111 1111 1111 1111' })
    expect((await records(store, 'u1').get(['card']))?.value).toEqual({
      number: expect.stringMatching(/^\[CARD_[0-9a-f]{6}\]$/),
    })
  })

  it('keeps what it finds out of an index of the records, with and without another store around it', async () => {
    for (const around of [(store: RowStore) => store, withTelemetry]) {
      const search = inProcessIndex()
      const indexed: string[] = []
      const spy: SearchIndex = {
        ...search,
        index(scope, documents, options) {
          indexed.push(JSON.stringify(documents))
          return search.index(scope, documents, options)
        },
      }
      const notes = records<string>(around(redacted(inMemoryStore())), 'u1', { index: spy })
      await notes.put(['a'], 'Write to ada@example.com')
      await notes.put(['b'], 'Nothing to hide')
      expect(indexed).toEqual([expect.stringContaining('Write to [EMAIL]'), expect.stringContaining('Nothing to hide')])
      expect(indexed.join()).not.toContain('ada@example.com')
      expect((await notes.search([], 'write')).items.map(({ value }) => value)).toEqual(['Write to [EMAIL]'])
    }
  })

  it('refuses records that were encrypted before, of which it would find nothing', async () => {
    const keys = subjectKeys({
      store: inMemoryStore(),
      wrapping: keyring([['first', new Uint8Array(32).fill(7)]]),
    })
    const database = inMemoryStore()
    await expect(records(encrypted(redacted(database), { keys }), 'u1').put(['a'], 'x')).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('redacted(encrypted(store'),
    })
    expect(await database.entities({ limit: 1 })).toEqual([])
    await records(redacted(encrypted(database, { keys })), 'u1').put(['a'], 'ada@example.com')
    expect((await records(encrypted(database, { keys }), 'u1').get(['a']))?.value).toBe('[EMAIL]')
  })
})

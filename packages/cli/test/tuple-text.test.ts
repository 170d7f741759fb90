import * as fc from 'fast-check'
import { encodeTuple } from '@keepsake/core'
import { describe, expect, it } from 'vitest'
import {
  formatTuple,
  formatTupleText,
  fromTupleJson,
  parseTuple,
  parseTupleText,
  tupleJson,
} from '../src/tuple-text.ts'

describe('formatTupleText and parseTupleText', () => {
  it.each<[stored: string, text: string]>([
    ['owner\u0001ada\u0001', 'owner/ada'],
    ['owner\u0001users\u0001ada\u0001', 'owner/users/ada'],
    ['thread\u0001a/b\u0001', String.raw`thread/a\/b`],
    ['a\\b\u0001', String.raw`a\\b`],
    ['a\u0001\u0001b\u0001', 'a//b'],
    ['a\u0001\u0001', 'a/'],
    ['\u0001', '[""]'],
    ['\u0001\u0001', '["",""]'],
    ['', '""'],
    ['plain', '"plain"'],
    ['say "hi"', String.raw`"say \"hi\""`],
    ['"a"\u0001', String.raw`\"a"`],
    ['[a]\u0001', String.raw`\[a]`],
    ['a"[\u0001', 'a"['],
    // U+0002 is stored as U+0002 U+0003, U+0000 as U+0002 U+0001.
    ['a\u0002\u0003b\u0001', String.raw`a\u0002b`],
    ['a\u0002\u0001b\u0001', String.raw`a\u0000b`],
    ['\u001b[2J\u0001', String.raw`\u001b[2J`],
    ['a\nb\u0001', String.raw`a\u000ab`],
    [' a b \u0001', String.raw`\u0020a b\u0020`],
    ['a\u00a0b\u0001', String.raw`a\u00a0b`],
    ['a\u202eb\u0001', String.raw`a\u202eb`],
    ['\u202eraw', String.raw`"\u202eraw"`],
    // U+E0041 TAG LATIN CAPITAL LETTER A is invisible; its UTF-16 units are escaped.
    ['a\u{e0041}\u0001', String.raw`a\udb40\udc41`],
    ['naïve日本😀\u0001', 'naïve日本😀'],
    // Strings that end in U+0001 and that no tuple gives: a lone U+0002 is no escape.
    ['a\u0002b\u0001', String.raw`"a\u0002b\u0001"`],
    ['a\u0002\u0001', String.raw`"a\u0002\u0001"`],
  ])('%j is %s', (stored, text) => {
    expect(formatTupleText(stored)).toBe(text)
    expect(parseTupleText(text, 'KEY')).toBe(stored)
  })

  it('are inverse for every string, and show nothing invisible', () => {
    const hostile = fc.constantFrom(
      '\u0000',
      '\u0001',
      '\u0002',
      '\u0003',
      '/',
      '\\',
      '"',
      '[',
      ' ',
      '\u202e',
      '\ud800',
    )
    const segment = fc.string({ unit: fc.oneof(hostile, fc.string({ unit: 'binary', minLength: 1, maxLength: 1 })) })
    const stored = fc.oneof(segment, fc.array(segment.map((text) => text.toWellFormed())).map(encodeTuple))
    fc.assert(
      fc.property(stored, (name) => {
        const shown = formatTupleText(name)
        expect(parseTupleText(shown, 'KEY')).toBe(name)
        expect(shown).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u)
        expect(shown).not.toBe('')
        expect(fromTupleJson(JSON.parse(JSON.stringify(tupleJson(name))))).toBe(name)
      }),
      { numRuns: 2000 },
    )
  })

  it('never show two names alike', () => {
    const name = fc.string({ unit: fc.constantFrom('\u0001', '\u0002', '/', '\\', '"', '[', 'a', ',') })
    fc.assert(
      fc.property(name, name, (a, b) => {
        expect(formatTupleText(a) === formatTupleText(b)).toBe(a === b)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('parseTupleText', () => {
  it.each<[text: string, stored: string]>([
    ['["a","b"]', 'a\u0001b\u0001'],
    ['[]', ''],
    [String.raw`"a\u0001"`, 'a\u0001'],
    [String.raw`\u0041`, 'A\u0001'],
    [String.raw`a\"b\[`, 'a"b[\u0001'],
  ])('reads %s too', (text, stored) => {
    expect(parseTupleText(text, 'KEY')).toBe(stored)
  })

  it.each<[text: string, message: string]>([
    ['', 'KEY is empty.'],
    ['"a', 'KEY begins like JSON and is none.'],
    ['[1]', 'KEY must be a JSON string or an array of strings.'],
    ['["a",["b"]]', 'KEY must be a JSON string or an array of strings.'],
    ['a\\', 'KEY has a backslash at character 2 that begins no escape.'],
    [String.raw`a/\x`, 'KEY has a backslash at character 3 that begins no escape.'],
    [String.raw`\u12`, 'KEY has a backslash at character 1 that begins no escape.'],
    [String.raw`\u12g4`, 'KEY has a backslash at character 1 that begins no escape.'],
  ])('refuses %j', (text, message) => {
    expect(() => parseTupleText(text, 'KEY')).toThrow(
      expect.objectContaining({ code: 'usage', exitCode: 2, message: expect.stringContaining(message) as string }),
    )
  })
})

describe('parseTuple', () => {
  it.each<[text: string, parts: string[]]>([
    ['ada', ['ada']],
    ['users/ada', ['users', 'ada']],
    ['["users","a/b"]', ['users', 'a/b']],
    ['"users/ada"', ['users/ada']],
  ])('reads %s', (text, parts) => {
    expect(parseTuple(text, 'OWNER')).toEqual(parts)
    expect(parseTuple(formatTuple(parts), 'OWNER')).toEqual(parts)
  })
})

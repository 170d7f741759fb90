import { describe, expect, it } from 'vitest'
import { grepText } from '../src/grep.ts'

describe('grepText', () => {
  it.for([
    ['a line', 'one\ntwo\nthree', 'two', [[2, 'two']]],
    ['the first line', 'one\ntwo', 'on', [[1, 'one']]],
    ['a last line without an ending', 'one\ntwo', 'wo', [[2, 'two']]],
    [
      'a line once',
      'aXbXc\nX\n',
      'X',
      [
        [1, 'aXbXc'],
        [2, 'X'],
      ],
    ],
    ['CRLF', 'one\r\ntwo\r\n', 'two', [[2, 'two']]],
    ['an ending in CRLF', 'one\r\ntwo\r\n', 'e\ntw', [[1, 'one']]],
    [
      'where several lines begin',
      'a\nb\na\nb\n',
      'a\nb',
      [
        [1, 'a'],
        [3, 'a'],
      ],
    ],
    [
      'overlapping pairs of lines',
      'a\na\na\n',
      'a\na',
      [
        [1, 'a'],
        [2, 'a'],
      ],
    ],
    [
      'line endings',
      '\n\nx\n',
      '\n',
      [
        [1, ''],
        [2, ''],
        [3, 'x'],
      ],
    ],
    ['after a byte-order mark', '\uFEFFone', 'one', [[1, 'one']]],
    ['regular expressions as text', 'a.c\nabc', 'a.c', [[1, 'a.c']]],
    ['nothing', 'one\ntwo', 'three', []],
    ['nothing in nothing', '', 'a', []],
  ] as const)('finds %s', ([, content, wanted, expected]) => {
    expect(grepText(content, wanted).map(({ line, text }) => [line, text])).toEqual(expected)
  })

  it('is done soon with a text that nearly repeats', () => {
    const startMs = performance.now()
    expect(grepText('a'.repeat(2_097_152), `${'a'.repeat(10_000)}b${'a'.repeat(10_000)}`)).toEqual([])
    expect(performance.now() - startMs).toBeLessThan(3000)
  })
})

import { array, assert, constantFrom, pre, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { editText } from '../src/edit.ts'

const edited = (content: string, lines: number[]) => ({ ok: true, value: { content, lines } })
const many = (n: number, lines: string) => ({
  ok: false,
  code: 'many_matches',
  message: `String occurs ${n} times (lines ${lines}); make it unique or set replace_all`,
})

const unix = (text: string): string => text.replaceAll('\r\n', '\n')
const text = (maxLength: number) =>
  array(constantFrom('a', 'b', '\n', '\r\n', 'ä', '😀'), { maxLength }).map((pieces) => pieces.join(''))

describe('editText', () => {
  it.for([
    ['the whole text', 'a', 'a', 'b', edited('b', [1])],
    ['the beginning', 'abc', 'a', 'x', edited('xbc', [1])],
    ['the end', 'abc', 'c', 'x', edited('abx', [1])],
    ['across lines', 'one\ntwo\nthree\n', 'one\ntwo', '1\n2', edited('1\n2\nthree\n', [1])],
    ['a later line', 'one\ntwo\nthree\n', 'three', '3', edited('one\ntwo\n3\n', [3])],
    ['by more lines', 'a\nb\n', 'a\n', 'a\nA\n', edited('a\nA\nb\n', [1])],
    ['by nothing', 'one two', ' two', '', edited('one', [1])],
    ['by itself', 'one two', 'two', 'two', edited('one two', [1])],
    ['half of an emoji by another', 'x😀y', '😀', '😁', edited('x😁y', [1])],
    ['patterns of String.replace', 'cost', 'cost', '$&$1$$', edited('$&$1$$', [1])],
    ['regular expressions as text', 'a.c abc', 'a.c', 'x', edited('x abc', [1])],
  ] as const)('replaces %s', ([, content, oldText, newText, expected]) => {
    expect(editText(content, oldText, newText)).toEqual(expected)
  })

  it.for([
    ['nothing of the kind', 'abc', 'd', { code: 'no_match', message: 'String not found in file' }],
    ['another case', 'abc', 'A', { code: 'no_match', message: 'String not found in file' }],
    ['another composition', 'caf\u00E9', 'cafe\u0301', { code: 'no_match', message: 'String not found in file' }],
    ['an empty text', 'abc', '', { code: 'no_match' }],
    ['an empty text in an empty file', '', '', { code: 'no_match' }],
    ['more than the file', 'abc', 'abcd', { code: 'no_match' }],
  ] as const)('finds %s nowhere', ([, content, oldText, expected]) => {
    expect(editText(content, oldText, 'x')).toMatchObject({ ok: false, ...expected })
  })

  it.for([
    ['on two lines', 'x\ny\nx', 'x', many(2, '1, 3')],
    ['on one line', 'x x', 'x', many(2, '1')],
    ['overlapping itself', 'aaa', 'aa', many(2, '1')],
    ['overlapping itself over lines', '\n\n\n', '\n\n', many(2, '1, 2')],
    ['on twelve lines', 'x\n'.repeat(12), 'x', many(12, '1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …')],
  ] as const)('refuses a text that occurs twice: %s', ([, content, oldText, expected]) => {
    expect(editText(content, oldText, 'z')).toEqual(expected)
  })

  it('replaces all from left to right, and says where each is in the new text', () => {
    expect(editText('x\ny\nx\nx', 'x', 'a\nb', true)).toEqual(edited('a\nb\ny\na\nb\na\nb', [1, 4, 6]))
    expect(editText('aaaaa', 'aa', 'b', true)).toEqual(edited('bba', [1, 1]))
    expect(editText('x\n\nx\n\n', 'x\n\n', 'x\n', true)).toEqual(edited('x\nx\n', [1, 2]))
  })

  describe('line endings', () => {
    it.for([
      ['CRLF by LF', 'a\r\nb\r\n', 'a\nb', 'a\nc', 'a\r\nc\r\n'],
      ['CRLF by CRLF', 'a\r\nb\r\n', 'a\r\nb', 'a\r\nc', 'a\r\nc\r\n'],
      ['LF by CRLF', 'a\nb\n', 'a\r\nb', 'x\r\ny', 'x\ny\n'],
      ['new lines in a CRLF file', 'a\r\nb\r\n', 'b', 'b\nc\nd', 'a\r\nb\r\nc\r\nd\r\n'],
      ['new lines in an LF file', 'a\nb\n', 'b', 'b\r\nc', 'a\nb\nc\n'],
      ['new lines in a file of one line', 'a', 'a', 'a\r\nb\n', 'a\r\nb\n'],
      ['where CRLF is rarer, elsewhere', 'a\nb\nc\r\n', 'a', 'a\nx', 'a\nx\nb\nc\r\n'],
      ['where CRLF is rarer, there', 'a\nb\nc\r\nd\ne\n', 'c\nd', 'c\nx\nd', 'a\nb\nc\r\nx\r\nd\ne\n'],
      ['where they are as many', 'a\nb\r\nc', 'c', 'c\nd', 'a\nb\r\nc\nd'],
      ['a joined line', 'a\r\nb\r\nc\r\n', 'a\nb\n', 'ab\n', 'ab\r\nc\r\n'],
      ['a lone CR as any character', 'a\rb\r\nc\r\n', 'a\rb', 'x', 'x\r\nc\r\n'],
      ['untouched mixed lines within the text', 'a\r\nb\nc\r\nd', 'a\nb\nc\nd', 'a\nb\nc\nD', 'a\r\nb\nc\r\nD'],
      ['a byte-order mark', '\uFEFFa\r\nb', 'a\nb', 'c\nb', '\uFEFFc\r\nb'],
    ] as const)('%s', ([, content, oldText, newText, expected]) => {
      expect(editText(content, oldText, newText)).toMatchObject({ ok: true, value: { content: expected } })
    })

    it('counts again after they are made equal', () => {
      expect(editText('a\r\nb\na\nb\n', 'a\nb', 'x')).toEqual(many(2, '1, 3'))
      expect(editText('a\r\nb\na\nb\n', 'a\r\nb', 'x')).toEqual(many(2, '1, 3'))
      expect(editText('a\r\nb\na\nb\n', 'a\nb', 'x\ny', true)).toEqual(edited('x\r\ny\nx\ny\n', [1, 3]))
    })

    it('gives the line in the file', () => {
      expect(editText('a\r\nb\r\nc\r\n', 'c', 'd')).toEqual(edited('a\r\nb\r\nd\r\n', [3]))
    })
  })

  it('does what replacing does in a text with LF, and leaves what is before and after byte for byte', () => {
    assert(
      property(text(20), text(3), text(4), (content, oldText, newText) => {
        pre(oldText !== '')
        const parts = unix(content).split(unix(oldText))
        const result = editText(content, oldText, newText, true)
        expect(result.ok).toBe(parts.length > 1)
        if (!result.ok) return
        const { content: changed, lines } = result.value
        expect(unix(changed)).toBe(parts.join(unix(newText)))
        expect(lines).toHaveLength(parts.length - 1)
        const cuts = Array.from(
          { length: content.length + 1 },
          (_, i) => [content.slice(0, i), content.slice(i)] as const,
        )
        expect(cuts.some(([start]) => unix(start) === parts[0] && changed.startsWith(start))).toBe(true)
        expect(cuts.some(([, end]) => unix(end) === parts.at(-1) && changed.endsWith(end))).toBe(true)
      }),
      { seed: 1, numRuns: 2000 },
    )
  })

  it('says that a text would be too large before it builds it', () => {
    // 2,097,152 * 1,000.
    expect(editText('a'.repeat(2_097_152), 'a', 'x'.repeat(1000), true)).toEqual({
      ok: false,
      code: 'too_large',
      message: 'the edited file would have 2097152000 bytes or more; at most 2097152 are allowed',
    })
    expect(editText('a', 'a', 'x'.repeat(2_097_153))).toMatchObject({ code: 'too_large' })
    expect(editText('ab', 'a', 'x'.repeat(2_097_151))).toMatchObject({ ok: true })
  })

  it('finds texts that nearly repeat in linear time', () => {
    const [content, half] = ['a'.repeat(2_000_000), 'a'.repeat(10_000)]
    const startMs = performance.now()
    expect(editText(content, `${half}b${half}`, 'x')).toMatchObject({ code: 'no_match' })
    expect(editText(`${content}b${half}`, `${half}b${half}`, 'x')).toEqual(edited(`${'a'.repeat(1_990_000)}x`, [1]))
    expect(performance.now() - startMs).toBeLessThan(3000)
  })

  it('takes a large file with many matches in linear time', () => {
    const content = 'ab\r\n'.repeat(500_000)
    const startMs = performance.now()
    expect(editText(content, 'a'.repeat(1000), 'x')).toMatchObject({ code: 'no_match' })
    expect(editText(content, 'ab', 'x')).toMatchObject({ code: 'many_matches' })
    expect(editText('a'.repeat(2_000_000), 'a'.repeat(1000), 'x')).toMatchObject({ code: 'many_matches' })
    const result = editText(content, 'b', 'c', true)
    expect(result.ok && result.value.lines.length).toBe(500_000)
    // Quadratic would be hours.
    expect(performance.now() - startMs).toBeLessThan(10_000)
  })
})

import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { gptTokens } from '../src/gpt-tokenizer.ts'
import { isBreak, splitLongRuns } from '../src/long-runs.ts'

const exact = (text: string): number => countTokens(text, { disallowedSpecial: new Set() })

describe('gptTokens', () => {
  it.each([
    ['', 0],
    // From OpenAI's own tokenizer page for GPT-4o.
    ['hello world', 2],
    ['tokenization', 2],
  ])('of %j are %i', (text, tokens) => expect(gptTokens(text)).toBe(tokens))

  it('takes special tokens in a text for text', () => {
    expect(gptTokens('a <|endoftext|> b')).toBe(exact('a <|endoftext|> b'))
    expect(gptTokens('<|endoftext|>')).toBeGreaterThan(1)
  })

  const letters = [
    'a',
    'B',
    'é',
    'ß',
    'д',
    '中',
    'か',
    '한',
    'ก',
    '1',
    '٣',
    "'",
    "'s",
    '.',
    '(',
    '/',
    '。',
    '，',
    ' ',
    '\n',
    '\t',
    '\r',
    '\u3000',
    '\u0301',
    '😀',
    '\ud83d',
    '_',
    '-',
  ]
  const texts = fc.array(fc.constantFrom(...letters), { maxLength: 60 }).map((parts) => parts.join(''))

  it('is exact where no run is long', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(gptTokens(text)).toBe(exact(text))
      }),
      { numRuns: 1_000 },
    )
  })

  it('knows no break where the tokenizer does not cut', () => {
    fc.assert(
      fc.property(texts, (text) => {
        for (let i = 1; i < text.length; i++) {
          if (!isBreak(text.charCodeAt(i - 1), text.charCodeAt(i))) continue
          expect(exact(text.slice(0, i)) + exact(text.slice(i)), JSON.stringify([text, i])).toBe(exact(text))
        }
      }),
      { numRuns: 2_000 },
    )
  })

  it('leaves nothing of a text out', () => {
    const long = fc.tuple(texts, fc.integer({ min: 250, max: 9_000 }), fc.constantFrom('=', 'a', '中', '😀'), texts)
    fc.assert(
      fc.property(long, ([before, length, run, after]) => {
        const text = `${before}${run.repeat(length)}${after}`
        const parts = splitLongRuns(text)
        if (parts.every(({ weight }) => weight === 1)) expect(parts.flatMap(({ pieces }) => pieces).join('')).toBe(text)
        const units = parts.reduce((sum, part) => sum + part.pieces.join('').length * part.weight, 0)
        expect(units).toBeCloseTo(text.length, 3)
      }),
    )
  })

  it.each([
    ['letters', 'abcdefghijklmnopqrstuvwxyz'],
    ['base64', 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'],
    ['marks', '=-+*/<>!?.,;:'],
    [
      'Chinese',
      '的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多定行学法所民得经',
    ],
    ['Cyrillic', 'абвгдежзийклмнопрстуфхцчшщъыьэюя'],
    ['emoji', '😀😁😂😃😄😅😆😉😊😋😎😍'],
  ])('of a run of %s is within 3 %% of the exact number', (_name, alphabet) => {
    const characters = Array.from(alphabet)
    let seed = 7
    const next = (): string => characters[(seed = (seed * 16807) % 2_147_483_647) % characters.length]!
    for (const length of [300, 2_000, 12_000]) {
      const run = Array.from({ length }, next).join('')
      // Exact by pieces that are small beside the text, where the tokenizer would take minutes for the whole.
      const whole = length <= 2_000 ? exact(run) : exact(run.slice(0, 6_000)) + exact(run.slice(6_000))
      expect(Math.abs(gptTokens(run) - whole) / whole, `${length}`).toBeLessThan(0.03)
    }
  })

  it('gives the tokenizer a bounded part of a long run, whatever its length', () => {
    for (const text of [
      'a'.repeat(1_000_000),
      ' '.repeat(1_000_000),
      '中'.repeat(1_000_000),
      '😀'.repeat(500_000),
      `x ${'='.repeat(1_000_000)} y`,
    ]) {
      const pieces = splitLongRuns(text).flatMap((part) => part.pieces)
      expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(257)
      expect(pieces.join('').length).toBeLessThan(8_300)
      expect(pieces.every((piece) => piece.isWellFormed())).toBe(true)
    }
    expect(gptTokens('a'.repeat(1_000_000))).toBe(125_000)
  })
})

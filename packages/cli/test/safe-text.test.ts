import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escapeJson, jsonLine, safeBlock, safeLine } from '../src/safe-text.ts'

const CONTROLS = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

describe('safeLine', () => {
  it.each<[text: string, shown: string]>([
    ['plain text, naïve 日本 😀', 'plain text, naïve 日本 😀'],
    ['\u001b[2J\u001b]0;title\u0007', String.raw`\u001b[2J\u001b]0;title\u0007`],
    ['a\r\nb\tc', String.raw`a\u000d\u000ab\u0009c`],
    ['\u009b31m', String.raw`\u009b31m`],
    ['admin\u202e txt', String.raw`admin\u202e txt`],
    ['a\u2028b', String.raw`a\u2028b`],
    ['half \ud83d', String.raw`half \ud83d`],
    // Joined emoji stay whole.
    ['👩\u200d👧', '👩\u200d👧'],
  ])('shows %j as %s', (text, shown) => {
    expect(safeLine(text)).toBe(shown)
  })

  it('lets no control through', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(safeLine(text)).not.toMatch(CONTROLS)
      }),
    )
  })
})

describe('safeBlock', () => {
  it('keeps line feeds and tabs only', () => {
    expect(safeBlock('a\r\n\tb\rc\u001b[0m')).toBe('a\n\tb' + String.raw`\u000dc\u001b[0m`)
  })
})

describe('escapeJson', () => {
  it('changes no meaning and lets no control through', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        for (const json of [jsonLine(value), escapeJson(JSON.stringify(value, null, 2))]) {
          expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)))
          expect(json.replaceAll('\n', '')).not.toMatch(CONTROLS)
        }
      }),
    )
  })
})

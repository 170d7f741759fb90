import type { RedactionPattern } from './pattern.ts'

/** Lengths by country, of the SWIFT IBAN registry (ISO 13616). */
const LENGTHS =
  'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 FI18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 ' +
  'KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SE24 SI19 SK24 SM27 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20'

/** Looked ahead, so that the next one is found although this may have run on into it. */
const STARTS = /(?<![A-Za-z0-9])(?=([A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}))/gi

/** Bank accounts: a country's length and the right check digits (ISO 7064, mod 97), in one piece or in groups of four. */
export const ibans: RedactionPattern = {
  name: 'IBAN',
  *find(text) {
    for (const match of text.matchAll(STARTS)) {
      const length = lengthOf(match[1]!.slice(0, 2).toUpperCase())
      if (length === undefined) continue
      const end = endAfter(match[1]!, length)
      if (end === undefined || /[A-Za-z0-9]/.test(text[match.index + end] ?? ' ')) continue
      if (isMod97(match[1]!.slice(0, end).replaceAll(' ', '').toUpperCase())) {
        yield { start: match.index, end: match.index + end }
      }
    }
  },
}

function lengthOf(country: string): number | undefined {
  const at = LENGTHS.indexOf(country)
  return at < 0 ? undefined : Number(LENGTHS.slice(at + 2, at + 4))
}

/** Where the n-th character that is no space ends. */
function endAfter(text: string, n: number): number | undefined {
  let left = n
  for (let i = 0; i < text.length; i++) if (text[i] !== ' ' && --left === 0) return i + 1
  return undefined
}

/** The first four characters moved to the end, letters as numbers from 10: the remainder of the whole by 97 is 1. */
function isMod97(iban: string): boolean {
  let remainder = 0
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36)
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97
  }
  return remainder === 1
}

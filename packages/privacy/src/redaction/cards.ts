import { isLuhn } from './luhn.ts'
import type { RedactionPattern } from './pattern.ts'

/** Issuers' first digits and lengths (ISO/IEC 7812): without them every tenth long number would be a card. */
const ISSUERS: readonly RegExp[] = [
  /^4(?:\d{12}|\d{15}|\d{18})$/, // Visa
  /^(?:5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12})$/, // Mastercard
  /^3[47]\d{13}$/, // American Express
  /^3(?:0[0-5]|[68]\d)\d{11}$/, // Diners Club
  /^6(?:011|5\d\d|4[4-9]\d)\d{12}$/, // Discover
  /^35(?:2[89]|[3-8]\d)\d{12}$/, // JCB
  /^62\d{14,17}$/, // UnionPay
]

/** Looked ahead, so that a number that stands before or after the card is not taken for a part of it. */
const STARTS = /(?<![\w.-]|[$€£#] ?)(?=(\d{4}(?:[ -]?\d){8,15}))/g

/** Payment cards: an issuer's number whose check digit is right, in one piece or in groups. */
export const cards: RedactionPattern = {
  name: 'CARD',
  *find(text) {
    for (const match of text.matchAll(STARTS)) {
      const run = match[1]!
      for (let length = run.length; length >= SHORTEST; length--) {
        const after = text.slice(match.index + length, match.index + length + 2)
        if (/^(?:[\w-]|\.\d)/.test(after) || !isCard(run.slice(0, length))) continue
        yield { start: match.index, end: match.index + length }
        break
      }
    }
  },
}

/** Digits of the shortest card. */
const SHORTEST = 13

function isCard(found: string): boolean {
  const digits = found.replaceAll(/[ -]/g, '')
  return isGrouped(found) && ISSUERS.some((issuer) => issuer.test(digits)) && isLuhn(digits)
}

/** In one piece, or in groups of 3 to 7 with one kind of separator. */
function isGrouped(found: string): boolean {
  if (found.includes(' ') && found.includes('-')) return false
  const groups = found.split(/[ -]/)
  return groups.length === 1 || groups.every(({ length }) => length >= 3 && length <= 7)
}

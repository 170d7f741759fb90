import type { RedactionPattern } from './pattern.ts'

/** A plus or a zero or brackets, digits, and single separators between groups. */
const WRITTEN =
  /(?<![\w.+/:#-]|[$€£] ?)(?:\+\d{1,3}[ .-]?)?(?:\(\d{1,5}\)[ .-]?)?\d{1,12}(?:[ ./-]\d{2,8}){0,6}(?![\w-]|[.,:/]\d|%)/g
/** A number that only the words before it make a telephone's. */
const NAMED =
  /\b(?:tel|phone|call|mobile|cell|fax|whatsapp|sms|handy)\w{0,6}\W{1,4}(?:\w{2,6}\W{1,3}){0,2}(\d{7,15})(?![\w-]|[.,:/]\d)/gi

/**
 * Telephone numbers: international (`+` and 8 to 15 digits, ITU-T E.164), North American (`555-123-4567`), national with a
 * leading zero and separators, and plain digits after a word such as "tel". Other numbers with separators are dates,
 * amounts, versions and the like, and stay.
 */
export const phones: RedactionPattern = {
  name: 'PHONE',
  *find(text) {
    for (const match of text.matchAll(WRITTEN)) {
      if (isPhone(match[0])) yield { start: match.index, end: match.index + match[0].length }
    }
    for (const match of text.matchAll(NAMED)) {
      const end = match.index + match[0].length
      yield { start: end - match[1]!.length, end }
    }
  },
}

function isPhone(found: string): boolean {
  const digits = found.replaceAll(/\D/g, '')
  if (found.startsWith('+')) return digits.length >= 8 && digits.length <= 15
  if (/^(?:1[ .-])?(?:\([2-9]\d\d\) ?|[2-9]\d\d[ .-])[2-9]\d\d[ .-]\d{4}$/.test(found)) return true
  if (!/^\(?0/.test(found) || digits.length < 9 || digits.length > 13) return false
  // 0171/1234567, 020 7946 0958, (030) 123456; 01.02.2026 and 00-11-22-33-44-55 are something else.
  const groups = found.split(/[ ./()-]+/).filter((group) => group !== '')
  return groups.length >= 2 && groups.length <= 5 && groups[0]!.length >= 2 && groups[0] !== '00' && !isDate(found)
}

function isDate(found: string): boolean {
  return /^\d{1,2}[./-]\d{1,2}[./-]\d{2,4}(?: |$)/.test(found)
}

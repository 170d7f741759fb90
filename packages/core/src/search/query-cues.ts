/** A day, month or year that a query names. */
export interface NamedDate {
  year?: number
  /** 0 to 11. */
  month?: number
  day?: number
}

const MONTHS = 'january february march april may june july august september october november december'.split(' ')
const MONTH = `(${MONTHS.join('|')}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)`
const DAY = String.raw`(\d{1,2})(?:st|nd|rd|th)?`
const YEAR = String.raw`((?:19|20)\d\d)`
/** The ways to write a date, the most exact first: each with where its parts are. */
const FORMS: readonly { pattern: RegExp; parts: readonly (keyof NamedDate)[] }[] = [
  { pattern: new RegExp(String.raw`\b${YEAR}-(\d{2})-(\d{2})\b`), parts: ['year', 'month', 'day'] },
  {
    pattern: new RegExp(String.raw`\b${DAY}(?:\s+of)?\s+${MONTH}\b(?:,?\s+${YEAR}\b)?`),
    parts: ['day', 'month', 'year'],
  },
  { pattern: new RegExp(String.raw`\b${MONTH}\.?\s+${DAY}\b(?:,?\s+${YEAR}\b)?`), parts: ['month', 'day', 'year'] },
  { pattern: new RegExp(String.raw`\b${MONTH}\.?,?\s+(?:of\s+)?${YEAR}\b`), parts: ['month', 'year'] },
  // Alone, "may" and "march" are words.
  {
    pattern: new RegExp(String.raw`\b(?:in|during|since|until|by|of|early|late|last|this)\s+${MONTH}\b`),
    parts: ['month'],
  },
  { pattern: new RegExp(String.raw`\b${YEAR}\b`), parts: ['year'] },
]

/** The first date that a text names (in English, or as 2023-05-07), if it names one. */
export function namedDate(text: string): NamedDate | undefined {
  const lower = text.toLowerCase()
  for (const { pattern, parts } of FORMS) {
    const match = pattern.exec(lower)
    if (match === null) continue
    const date: NamedDate = {}
    for (const [index, part] of parts.entries()) {
      const found = match[index + 1]
      if (found !== undefined) date[part] = part === 'month' ? monthOf(found) : Number(found)
    }
    return date
  }
  return undefined
}

function monthOf(text: string): number {
  return /^\d/.test(text) ? Number(text) - 1 : MONTHS.findIndex((month) => month.startsWith(text.slice(0, 3)))
}

/** The day of a moment as a number: the year, four bits for the month from 0, five for the day. In UTC. */
export function dayOf(atMs: number): number {
  const date = new Date(atMs)
  return (date.getUTCFullYear() << 9) | (date.getUTCMonth() << 5) | date.getUTCDate()
}

/** How well a day fits a named date: 1 if every part does, 0.5 if only the day of the month does not, else 0. */
export function dateFit(named: NamedDate, day: number): number {
  if (named.year !== undefined && named.year !== day >> 9) return 0
  if (named.month !== undefined && named.month !== ((day >> 5) & 15)) return 0
  return named.day === undefined || named.day === (day & 31) ? 1 : 0.5
}

const ASKS_WHEN = /\b(?:when|what (?:date|day|month|year|time)|which (?:date|day|month|year)|how long|since when)\b/i
const SAYS_WHEN =
  /\b(?:yesterday|today|tonight|tomorrow|ago|(?:last|next|this|past|coming) (?:week|weekend|month|year|night|summer|winter|spring|fall|autumn|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march \d|april|may \d|june|july|august|september|october|november|december|(?:19|20)\d\d|\d{1,2}(?:st|nd|rd|th)|(?:for|in|since) (?:\d+|a|two|three|four|five|six|seven|eight|nine|ten) (?:day|week|month|year)s?)\b/i

/** Whether a query asks for a time. */
export function asksWhen(text: string): boolean {
  return ASKS_WHEN.test(text)
}

/** Whether a memory names a time. */
export function saysWhen(text: string): boolean {
  return SAYS_WHEN.test(text)
}

/** Whether a memory ends by asking: what comes after it then answers it. */
export function isQuestion(text: string): boolean {
  return /[?？]\s*$/.test(text)
}

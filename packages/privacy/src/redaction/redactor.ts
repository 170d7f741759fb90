import { KeepsakeError, type Storable } from '@keepsake/core'
import { mustBe } from '../must-be.ts'
import { cards } from './cards.ts'
import { emails } from './emails.ts'
import { ibans } from './ibans.ts'
import { ipAddresses } from './ip-addresses.ts'
import type { RedactionPattern } from './pattern.ts'
import { phones } from './phones.ts'
import { placeholders } from './placeholders.ts'
import { findRedactions, replaceRedactions, type Redaction } from './redact-text.ts'
import { mapTexts, textsOf } from './redact-value.ts'
import { secrets } from './secrets.ts'

/** What is redacted unless you say otherwise, in the order in which it is looked for. */
export const defaultPatterns: readonly RedactionPattern[] = [secrets, emails, ibans, cards, ipAddresses, phones]

export interface RedactionOptions {
  /** What is redacted. Default {@link defaultPatterns}; add your own in front of them. */
  patterns?: readonly RedactionPattern[]
  /**
   * Tells equal findings from others within one thread or owner: `[EMAIL_3fa9c1]` instead of `[EMAIL]`. Any text or bytes
   * that only you know; the same in every process, or a repeated write would not be recognised.
   */
  secret?: string | Uint8Array
}

/** Finds and replaces what is not to be stored. */
export interface Redactor {
  /** What would be replaced in a text. */
  find(text: string): Redaction[]
  /** How much of each kind would be replaced in a value, by the names of the patterns. */
  count(value: Storable): Record<string, number>
  /** The text without it. `scope` is where equal findings have equal placeholders: a thread, an owner. */
  text(text: string, scope: string): Promise<string>
  /** The value with every text in it redacted, names of fields too; bytes stay. The same object where nothing was found. */
  value(value: Storable, scope: string): Promise<Storable>
}

/** Throws `invalid_value` for a pattern or a secret that cannot be used. */
export function createRedactor(options: RedactionOptions = {}): Redactor {
  const { patterns = defaultPatterns, secret } = options
  if (!Array.isArray(patterns)) throw mustBe('patterns', 'a list, such as defaultPatterns', patterns)
  for (const pattern of patterns as readonly (RedactionPattern | null | undefined)[]) {
    const name = pattern?.name
    if (typeof name !== 'string' || !/^[A-Z][A-Z0-9_]*$/.test(name) || typeof pattern?.find !== 'function') {
      throw new KeepsakeError(
        'invalid_value',
        `A redaction pattern needs a name of capital letters, digits and _, and a function find; "${name}" does not.`,
      )
    }
  }
  if (secret !== undefined && typeof secret !== 'string' && !(secret instanceof Uint8Array))
    throw mustBe('The secret of a redaction', 'a text or bytes', secret)
  if (secret?.length === 0)
    throw new KeepsakeError('invalid_value', 'The secret of a redaction is empty. Leave it out.')
  const placeholdersOf = placeholders(secret)
  const find = (text: string): Redaction[] => findRedactions(text, patterns)

  async function redactValue(value: Storable, scope: string): Promise<Storable> {
    const redactions = new Map<string, Redaction[]>()
    const found = new Map<string, Set<string>>()
    for (const text of textsOf(value)) {
      if (redactions.has(text)) continue
      const here = find(text)
      if (here.length === 0) continue
      redactions.set(text, here)
      for (const { name, start, end } of here) {
        const texts = found.get(name) ?? new Set()
        found.set(name, texts.add(text.slice(start, end)))
      }
    }
    if (redactions.size === 0) return value
    const placeholder = await placeholdersOf(scope, found)
    return mapTexts(value, (text) =>
      replaceRedactions(text, redactions.get(text) ?? [], ({ name }, there) => placeholder(name, there)),
    )
  }

  function count(value: Storable): Record<string, number> {
    const counts: Record<string, number> = {}
    for (const text of textsOf(value)) for (const { name } of find(text)) counts[name] = (counts[name] ?? 0) + 1
    return counts
  }

  return { find, count, value: redactValue, text: async (text, scope) => (await redactValue(text, scope)) as string }
}

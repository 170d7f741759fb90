import type { JSONValue } from '@ai-sdk/provider'

/**
 * An id that says what something holds: equal values have equal ids, in every process and whatever the order of their
 * names. Used as a record's key it makes storing the same fact twice store it once. 32 hexadecimal digits of SHA-256.
 *
 * ```ts
 * await memories.put(['facts', await contentId(fact)], fact, { ifVersion: null })
 * ```
 */
export async function contentId(value: JSONValue): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(value, sorted))
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return Array.from(digest.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function sorted(_name: string, value: unknown): unknown {
  if (typeof value === 'string') return value.normalize().trim()
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

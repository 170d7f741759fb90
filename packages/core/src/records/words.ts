import type { Storable } from '../values/normalise.ts'

/** The words of a text: lower case, runs of letters and digits of any script. */
export function wordsOf(text: string): Set<string> {
  return new Set(
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [],
  )
}

/** The words of all texts and numbers in a value, at any depth. */
export function wordsOfValue(value: Storable): Set<string> {
  const words = new Set<string>()
  const visit = (item: Storable): void => {
    if (typeof item === 'string') for (const word of wordsOf(item)) words.add(word)
    else if (typeof item === 'number') words.add(String(item))
    else if (Array.isArray(item)) item.forEach(visit)
    else if (typeof item === 'object' && item !== null && !(item instanceof Uint8Array))
      Object.values(item).forEach(visit)
  }
  visit(value)
  return words
}

/** The share of the query's words that a text has: 0 to 1. */
export function wordScore(query: ReadonlySet<string>, words: ReadonlySet<string>): number {
  let found = 0
  for (const word of query) if (words.has(word)) found++
  return query.size === 0 ? 0 : found / query.size
}

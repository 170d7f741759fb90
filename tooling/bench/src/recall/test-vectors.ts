/** By document. */
export type Vectors = Map<string, number[]>

/** A vector that follows from a text and says nothing about it: normally distributed, the same every time. */
export function randomVector(text: string, dims: number): number[] {
  const next = randomNumbers(text)
  return Array.from({ length: dims }, () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()))
}

/** Numbers from 0 to below 1 that follow from a text (mulberry32 over FNV-1a). */
export function randomNumbers(seed: string): () => number {
  let state = 2166136261
  for (const character of seed) state = Math.imul(state ^ character.codePointAt(0)!, 16777619)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

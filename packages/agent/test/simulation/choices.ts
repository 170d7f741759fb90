/**
 * Where all that is left to chance in a run comes from: a whole number from 0 to n - 1. 0 is always the harmless choice,
 * so that a failing run is made simpler by replacing its choices with 0.
 */
export type Choose = (n: number) => number

/** A run's choices by its seed (mulberry32). What was chosen is added to `made`. */
export function seeded(seed: number, made?: number[]): Choose {
  let state = seed >>> 0
  return (n) => {
    if (n <= 1) return 0
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    const choice = Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * n)
    made?.push(choice)
    return choice
  }
}

/** The choices of an earlier run again, and harmless ones after them. */
export function replayed(choices: readonly number[]): Choose {
  let i = 0
  return (n) => (n <= 1 ? 0 : (choices[i++] ?? 0) % n)
}

/** True in so many of 100 runs, false where the choice is harmless. */
export function perCent(choose: Choose, rate: number): boolean {
  return choose(100) >= 100 - rate
}

/** A number that depends on every character of what it is made from (FNV-1a). */
export function digest(...parts: readonly unknown[]): number {
  let hash = 2166136261
  for (const c of JSON.stringify(parts)) hash = Math.imul(hash ^ c.charCodeAt(0), 16777619)
  return (hash >>> 0) % 1_000_003
}

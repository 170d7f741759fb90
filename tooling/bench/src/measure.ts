/** Two ways of doing the same. Each call is one operation; `turn` counts the calls of both from 0. */
export interface Pair {
  base: (turn: number) => unknown
  ours: (turn: number) => unknown
}

export interface Sizes {
  /** Rounds that are measured, after some that are not. */
  rounds: number
  /** Operations of each way in a round. */
  operations: number
}

export interface Comparison {
  /** Medians over the rounds, of the mean of a round. */
  baseMicros: number
  oursMicros: number
  /** The median of the rounds' ratios of ours to base. */
  ratio: number
}

/** Rounds that are not measured, while code is compiled and caches fill. */
export const WARM_UP_ROUNDS = 3

/**
 * Times both ways in the same rounds, one after the other and in turn first, so that what else the machine does meets
 * both. Asynchronous ways are awaited at every operation, as their callers do.
 */
export async function compare({ base, ours }: Pair, { rounds, operations }: Sizes): Promise<Comparison> {
  const baseTimes: number[] = []
  const oursTimes: number[] = []
  const ratios: number[] = []
  for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
    const first = (round + WARM_UP_ROUNDS) * operations
    const times = new Map<Pair['base'], number>()
    for (const way of round % 2 === 0 ? [base, ours] : [ours, base])
      times.set(way, await meanMicros(way, first, operations))
    if (round < 0) continue
    const baseMicros = times.get(base)!
    const oursMicros = times.get(ours)!
    baseTimes.push(baseMicros)
    oursTimes.push(oursMicros)
    ratios.push(oursMicros / baseMicros)
  }
  return { baseMicros: median(baseTimes), oursMicros: median(oursTimes), ratio: median(ratios) }
}

async function meanMicros(way: Pair['base'], first: number, operations: number): Promise<number> {
  const start = performance.now()
  for (let i = 0; i < operations; i++) {
    const outcome = way(first + i)
    if (outcome instanceof Promise) await outcome
  }
  return ((performance.now() - start) * 1000) / operations
}

/** The middle value, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const last = sorted.length - 1
  return (sorted[Math.floor(last / 2)]! + sorted[Math.ceil(last / 2)]!) / 2
}

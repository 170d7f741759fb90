import { WARM_UP_ROUNDS, type Pair, type Sizes } from './measure.ts'

interface Percentiles {
  p50Micros: number
  p95Micros: number
}

export interface LatencyComparison {
  base: Percentiles
  ours: Percentiles
}

/**
 * Times every operation of both ways, in the same rounds, one way after the other and in turn first. For operations that
 * wait for a server or a disk, where a mean says what the slowest few took.
 */
export async function compareLatencies(
  { base, ours }: Pair,
  { rounds, operations }: Sizes,
): Promise<LatencyComparison> {
  const times = { base: [] as number[], ours: [] as number[] }
  for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
    const first = (round + WARM_UP_ROUNDS) * operations
    const ways = [['base', base] as const, ['ours', ours] as const]
    for (const [name, way] of round % 2 === 0 ? ways : ways.toReversed()) {
      for (let i = 0; i < operations; i++) {
        const start = performance.now()
        await way(first + i)
        if (round >= 0) times[name].push((performance.now() - start) * 1000)
      }
    }
  }
  return { base: percentiles(times.base), ours: percentiles(times.ours) }
}

function percentiles(times: readonly number[]): Percentiles {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!
  return { p50Micros: at(0.5), p95Micros: at(0.95) }
}

import type { Pair, Sizes } from './measure.ts'

interface Percentiles {
  p50Micros: number
  p95Micros: number
}

export interface LatencyComparison {
  base: Percentiles
  ours: Percentiles
}

/**
 * Times every operation of both ways, one way after the other and in turn first, so that what else the machine does meets
 * both. For operations that wait for a server or a disk, where a mean says what the slowest few took. A quarter of the
 * rounds before those that count compiles the code.
 */
export async function compareLatencies(
  { base, ours }: Pair,
  { rounds, operations }: Sizes,
): Promise<LatencyComparison> {
  const ways = [
    { way: base, times: [] as number[] },
    { way: ours, times: [] as number[] },
  ]
  const warmUp = Math.ceil(rounds / 4) * operations
  for (let turn = 0; turn < warmUp + rounds * operations; turn++) {
    for (const { way, times } of turn % 2 === 0 ? ways : ways.toReversed()) {
      const start = performance.now()
      await way(turn)
      if (turn >= warmUp) times.push((performance.now() - start) * 1000)
    }
  }
  return { base: percentiles(ways[0]!.times), ours: percentiles(ways[1]!.times) }
}

function percentiles(times: readonly number[]): Percentiles {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!
  return { p50Micros: at(0.5), p95Micros: at(0.95) }
}

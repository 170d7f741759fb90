import type { RunResult } from './run.ts'
import type { Violation } from './violation.ts'

const MAX_MS = 60_000

/** Fewer choices, and more harmless ones, that still break the same invariant. */
export async function shrink(
  made: readonly number[],
  again: (choices: readonly number[]) => Promise<RunResult>,
  found: Violation,
): Promise<number[]> {
  const end = performance.now() + MAX_MS
  let best = [...made]
  const breaks = async (choices: readonly number[]): Promise<boolean> =>
    kindOf((await again(choices)).violation) === kindOf(found)
  for (let size = Math.ceil(best.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let i = 0; i < best.length && performance.now() < end;) {
      const without = [...best.slice(0, i), ...best.slice(i + size)]
      if (await breaks(without)) {
        best = without
        continue
      }
      const harmless = best.map((choice, j) => (j >= i && j < i + size ? 0 : choice))
      if (best.slice(i, i + size).some((choice) => choice !== 0) && (await breaks(harmless))) best = harmless
      i += size
    }
  }
  while (best.at(-1) === 0) best.pop()
  return best
}

/** The same violation may be of another event, or another version. */
function kindOf(violation: Violation | undefined): string | undefined {
  return violation?.message.replaceAll(/\d+/g, '')
}

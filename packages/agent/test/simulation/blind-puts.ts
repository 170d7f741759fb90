import { createClock, inMemoryStore, records, type RowStore, type WriteResult } from '@keepsake/core'
import type { Choose } from './choices.ts'
import { Violation } from './violation.ts'

/**
 * Puts into a store that loses answers and sends the same rows again, as stores on a network do: one put makes one version.
 * No engine takes part, which uses no guard by which it could tell.
 */
export async function runBlindPuts(choose: Choose): Promise<Violation | undefined> {
  const inner = inMemoryStore()
  let nowMs = Date.UTC(2026, 0, 1)
  const clock = createClock({ nowMs: () => nowMs, newId: () => `id${choose(1_000_000)}` })
  const versions = new Set<number>()
  const resending: RowStore = {
    ...inner,
    async write(rows): Promise<WriteResult[]> {
      for (const { key, seq } of rows) if (key.startsWith('r')) versions.add(seq)
      // The first answer is lost.
      if (choose(2) === 1) await inner.write(rows)
      return inner.write(rows)
    },
  }
  const memories = records(resending, 'ada', { clock })
  for (let i = 0; i < 1 + choose(3); i++) {
    nowMs += choose(3)
    versions.clear()
    await memories.put(['memories', `${choose(2)}`], i)
    if (versions.size !== 1) return new Violation('put', `one put made ${versions.size} versions`)
  }
  return undefined
}

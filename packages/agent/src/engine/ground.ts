import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { Clock, RowStore } from '@keepsake/core'
import type { CheckedOptions } from './check-engine-options.ts'
import type { Seams } from './seams.ts'

/** What every part of one engine stands on. */
export interface Ground {
  store: RowStore
  seams: Seams
  clock: Clock
  options: CheckedOptions
  model: LanguageModelV4 | undefined
  /** Names this engine in heads. */
  owner: string
  /** The store of long-term memory, opened when it is first used. */
  longterm(): Promise<RowStore>
  /** Attempts that run here, by row entity and epoch. */
  running: Set<string>
  /** Versions of heads with somebody else's lease, and since when they have been seen. */
  seen: Map<string, { version: number; sinceMs: number }>
  /** Up to which commit this engine has cleaned up, by row entity. */
  cleaned: Map<string, number>
  /** Sets an entry of one of these maps, which forget what they have known longest. */
  remember<T>(map: Map<string, T>, entity: string, value: T): void
  /** Work that nobody waits for but `close`. */
  background: Set<Promise<unknown>>
  /** Entities that could not be brought further: when to look again, on the monotonic clock. */
  held: Map<string, { untilMs: number; waitMs: number }>
  /** Something was submitted: workers of this engine look at once. */
  wake(): void
  /** What held an entity up is over. */
  release(id: string): void
  /** Waits until then, or for `ms`, or for the signal. */
  woken(ms: number, signal: AbortSignal): Promise<void>
}

/** Runs work that nobody waits for. It is repeated by whoever comes next, so its failure is nobody's. */
export function inBackground(ground: Ground, work: () => Promise<unknown>): void {
  const done: Promise<unknown> = work().then(
    () => ground.background.delete(done),
    () => ground.background.delete(done),
  )
  ground.background.add(done)
}

export function runningName(entity: string, ep: number): string {
  return `${ep} ${entity}`
}

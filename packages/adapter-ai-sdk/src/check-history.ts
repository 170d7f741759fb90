import { describeType, KeepsakeError } from '@keepsake/core'
import type { History } from '@keepsake/strategies'

const VERBS = ['load', 'append', 'prepare', 'clear'] as const satisfies (keyof History)[]

/** Throws `invalid_value` unless `history` has the four functions of one. */
export function checkHistory(who: string, history: unknown): asserts history is History {
  const missing = VERBS.filter((verb) => typeof (history as Partial<History> | null | undefined)?.[verb] !== 'function')
  if (missing.length === 0) return
  throw new KeepsakeError(
    'invalid_value',
    `${who}: history must be one, such as createHistory({ chat }) gives; it is ${describeType(history)} without ${missing.join(', ')}.`,
  )
}

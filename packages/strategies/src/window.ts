import type { AnyMessage } from '@keepsake/core'
import { checkCount } from './check-count.ts'
import { checkMessages } from './check-messages.ts'
import { firstOfNewest } from './choose-units.ts'
import { splitUnits } from './units.ts'

export interface WindowOptions {
  /**
   * Messages by which the window moves at once: a whole number from 1 to `n`. Default 1. See {@link window}.
   */
  step?: number
}

/**
 * The newest messages that a model should see, without ever parting a call from its results.
 *
 * System messages are all kept and come first. Of the others: the largest run of whole newest units that has at most `n`
 * messages, but never less than the newest unit. A unit is a call with its results and approvals (paired by id, so that
 * parallel calls, several tool messages and late results stay together) and the reasoning before it; every other message
 * is one by itself.
 *
 * - `n` is a whole number from 0; 0 means the newest unit alone. `Infinity` means no window: the same messages back.
 *   Anything else throws `invalid_value`, here and not at the first prompt.
 * - Messages that no provider would take are left out, whole and with their group: a result or an approval without its
 *   call, a call without a result that a user message has overtaken, reasoning that led to nothing. A call that no user
 *   message has overtaken may still be answered, so it stays, and so does everything after it. Calls that the provider
 *   runs itself need no result.
 * - ai's UI messages hold calls with their results: each is a unit.
 *
 * With `step`, the window's start moves in strides: it stays where it is while up to `step` messages are added, so each
 * prompt begins with the one before it and the provider's prompt cache hits; then it has between `n - step + 1` and `n`
 * messages (fewer where a unit would be cut). Where it starts depends on the messages before it, so hand it the thread
 * from its beginning.
 *
 * Synchronous and pure: returns a new list of the same message objects and never changes its input. Linear.
 *
 * @example Also without a history, in the AI SDK's loop:
 * ```ts
 * streamText({ model, prompt, prepareStep: ({ messages }) => ({ messages: window(20)(messages) }) })
 * ```
 */
export function window(n: number, options: WindowOptions = {}): <T extends AnyMessage>(messages: readonly T[]) => T[] {
  const { step = 1 } = options
  checkCount('window: n', n, 0, Infinity)
  checkCount('window: step', step, 1, Math.max(n, 1))
  return (messages) => {
    checkMessages('window', messages)
    if (n === Infinity) return [...messages]
    const units = splitUnits(messages.filter((message) => message.role !== 'system'))
    const first = firstOfNewest(units.map(lengthOf), n, step)
    return [...messages.filter((message) => message.role === 'system'), ...units.slice(first).flat()]
  }
}

function lengthOf(unit: readonly unknown[]): number {
  return unit.length
}

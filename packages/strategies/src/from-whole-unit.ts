import type { AnyMessage } from '@keepsake/core'
import { linkMessages } from './links.ts'

/**
 * The newest messages of a thread from where no unit is cut: from the first that begins a turn or, where fewer than
 * `atLeast` would be left, from the first whole unit; `undefined` where that is too little as well. System messages stay.
 *
 * `messages[0]` only tells what the next one belongs to, and is left out. Results and approvals whose call is not among
 * the messages cut nothing: nobody knows whether there ever was one.
 */
export function fromWholeUnit<T extends AnyMessage>(messages: readonly T[], atLeast: number): T[] | undefined {
  const others = [...messages.keys()].filter((position) => messages[position]!.role !== 'system')
  const links = linkMessages(others.map((position) => messages[position]!))
  const starts: number[] = []
  let end = -1
  for (const [index, position] of others.entries()) {
    if (links.isBroken(index)) continue
    if (index > end && position > 0) starts.push(position)
    end = Math.max(end, links.reach(index))
  }
  const turn = starts.find((position) => messages[position]!.role === 'user')
  const start = [turn, starts[0]].find((position) => position !== undefined && messages.length - position >= atLeast)
  if (start === undefined) return undefined
  return messages.filter(({ role }, position) => position >= start || (position > 0 && role === 'system'))
}

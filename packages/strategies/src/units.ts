import type { AnyMessage } from '@keepsake/core'
import { linkMessages } from './links.ts'

/**
 * Cuts a list without system messages into units: runs of neighbouring messages that providers accept only together.
 * A call makes one unit with its results, its approvals, the reasoning before it and whatever stands between them; every
 * other message is one by itself. A list that is cut between two units has no orphan on either side.
 *
 * What cannot be sent at all is left out: see {@link linkMessages}. Whole messages go or stay, and stay the same objects.
 * Linear in the number of parts.
 */
export function splitUnits<T extends AnyMessage>(messages: readonly T[]): T[][] {
  const links = linkMessages(messages)
  const units: T[][] = []
  let unit: T[] = []
  let end = 0
  for (const [index, message] of messages.entries()) {
    if (!links.isBroken(index)) {
      unit.push(message)
      end = Math.max(end, links.reach(index))
    }
    if (index >= end && unit.length > 0) {
      units.push(unit)
      unit = []
    }
  }
  return units
}

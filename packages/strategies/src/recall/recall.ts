import {
  describeType,
  KeepsakeError,
  throwIfAborted,
  type Filter,
  type Key,
  type Message,
  type Records,
  type SearchOptions,
} from '@keepsake/core'
import { checkCount } from '../check-count.ts'
import { isInjected } from '../injected.ts'
import type { Prepare, PrepareContext } from '../prepare.ts'
import { recalledBy, recalledMemory, recalledMessage, textOf, type RecalledMemory } from './recalled-message.ts'
import { searchApproved } from './search-approved.ts'

export interface RecallOptions {
  /**
   * The records to look in, or which those are in this run: the owner's, most often. `undefined` recalls nothing. Give
   * records with an `index`; without one everything is read at every call.
   */
  // oxlint-disable-next-line typescript/no-explicit-any -- whatever the values are, they are shown
  from: Records<any> | ((context: PrepareContext) => Records<any> | undefined)
  /** Only records below it. Default all. */
  prefix?: Key
  /** How many memories at most: a whole number from 1. Default 5. */
  limit?: number
  filter?: Filter
  /** Tells the steps of a prompt apart that recall different things: each takes out only its own. Default `''`. */
  name?: string
  /** A small preference for what is new. Default none. */
  recency?: NonNullable<SearchOptions['recency']>
}

const DEFAULT_LIMIT = 5
/** Characters of a message that are looked for: its end, where people ask. */
const MAX_QUERY_CHARACTERS = 2_000

/**
 * A step that puts memories which have to do with the newest user message right before it, as delimited data with their
 * sources, in a message of its own. What the step recalled before is taken out first. Nothing is added where nothing is
 * found or no user message is there. Costs one search; within a run it is journaled.
 *
 * What it adds is never stored: `createHistory` leaves it out of what it appends, and {@link isRecalled} tells it apart.
 *
 * Throws `invalid_value` for options that cannot be used; rejects with what the search rejects with.
 */
export function recall(options: RecallOptions): Prepare {
  const { from, prefix = [], limit = DEFAULT_LIMIT, filter, recency, name = '' } = options
  if (typeof from !== 'function' && typeof from?.search !== 'function') {
    throw new KeepsakeError(
      'invalid_value',
      `recall: from must be records, or a function that gives them; it is ${describeType(from)}.`,
    )
  }
  checkCount('recall: limit', limit, 1, Number.MAX_SAFE_INTEGER)

  async function find(query: string, context: PrepareContext): Promise<RecalledMemory[]> {
    const records = typeof from === 'function' ? from(context) : from
    if (records === undefined) return []
    const found = await searchApproved(records, prefix, query, {
      limit,
      signal: context.signal,
      ...(filter !== undefined && { filter }),
      ...(recency !== undefined && { recency }),
    })
    return found.map(recalledMemory)
  }

  return async (messages, context = {}) => {
    throwIfAborted(context.signal)
    const own = messages.filter((message) => recalledBy(message) !== name)
    const place = own.findLastIndex((message) => message.role === 'user' && !isInjected(message))
    const query = place < 0 ? '' : queryOf(own[place]!)
    if (query === '') return own
    const memories = await (context.step === undefined
      ? find(query, context)
      : context.step(name === '' ? 'recall' : `recall ${name}`, () => find(query, context)))
    return memories.length === 0 ? own : own.toSpliced(place, 0, recalledMessage(memories, name))
  }
}

function queryOf(message: Message): string {
  return textOf(message.content).slice(-MAX_QUERY_CHARACTERS).toWellFormed().trim()
}

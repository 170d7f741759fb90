import {
  checkLimit,
  createListing,
  decodeCursor,
  encodeCursor,
  type Listing,
  type ListOptions,
  type Row,
} from '@keepsake/core'
import { rowEntity } from './entity.ts'
import type { Ground } from './ground.ts'
import { deadLetterKey, eventKey, readDeadLetter, readEvent } from './rows/event.ts'
import { headId, readHead, type Failure } from './rows/head.ts'
import { DEAD, readDeadIndex, shardsOf } from './rows/shard.ts'

/** An event that failed. */
export interface DeadLetterInfo {
  entity: string
  eventId: string
  kind: Failure['kind']
  message: string
  /** When it is forgotten, in Unix milliseconds. */
  expiresAtMs: number
}

const PAGE_ROWS = 100

/** Dead letters of all entities, shard by shard and there in the order of entities. */
export function deadLetters(ground: Ground, { limit, cursor, signal }: ListOptions): Listing<DeadLetterInfo> {
  const size = checkLimit(limit)
  const { store, options, clock } = ground
  const shards = shardsOf(options.kind)

  async function lettersOf(rows: readonly Row[]): Promise<(DeadLetterInfo | undefined)[]> {
    const ids = rows.map((row) => readDeadIndex(row))
    const loaded = await store.load(
      ids.flatMap(({ id, eventId }) => {
        const entity = rowEntity(options.kind, id)
        return [{ entity, key: deadLetterKey(eventId) }, { entity, key: eventKey(eventId) }, headId(entity)]
      }),
      { signal },
    )
    const nowMs = clock.nowMs()
    return ids.map(({ id, eventId }, index) => {
      const [row, event, head] = loaded.slice(3 * index)
      const letter = readDeadLetter(row, nowMs)
      // One that was committed after all is none, even before the clean-up. The last event has no row yet.
      const isDone = readEvent(event, nowMs) !== undefined || readHead(head).head.committed?.eventId === eventId
      if (letter === undefined || isDone) return undefined
      const { kind, message } = letter.failure
      return { entity: id, eventId, kind, message, expiresAtMs: row!.expiresAtMs! }
    })
  }

  return createListing(async (from) => {
    let [shard, after] = from === undefined ? [0, undefined] : parsePosition(decodeCursor(from, ''))
    const items: DeadLetterInfo[] = []
    while (shard < shards.length) {
      const range = { prefix: DEAD, limit: PAGE_ROWS, ...(after !== undefined && { after }) }
      const rows = await store.scan(shards[shard]!, range, { signal })
      const letters = await lettersOf(rows)
      for (const [index, letter] of letters.entries()) {
        if (letter === undefined) continue
        items.push(letter)
        if (items.length === size) return { items, cursor: encodeCursor(`${shard} ${rows[index]!.key}`) }
      }
      after = rows.at(-1)?.key
      if (rows.length < PAGE_ROWS) [shard, after] = [shard + 1, undefined]
    }
    return { items }
  }, cursor)
}

function parsePosition(position: string): [shard: number, after: string] {
  const at = position.indexOf(' ')
  return [Number(position.slice(0, at)), position.slice(at + 1)]
}

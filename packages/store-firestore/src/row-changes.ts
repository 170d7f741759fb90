import type { DocumentReference, WriteBatch } from '@google-cloud/firestore'
import type { CallOptions, Row, RowId } from '@keepsake/core'
import { backoff } from './backoff.ts'
import type { EntityList } from './entity-list.ts'
import type { FirestoreClient } from './firestore-client.ts'
import { isConflict } from './firestore-errors.ts'
import { inParallel } from './in-parallel.ts'
import { COMMIT_BYTES, firestoreLimits } from './limits.ts'
import type { Places } from './places.ts'
import { toDocuments, type RowHead } from './row-document.ts'
import type { RowReader, StoredRow } from './row-reader.ts'

/** A row that is to be changed, depending on what is stored. */
export interface RowChange<R> {
  id: RowId
  /** Of the record that may be written. */
  bytes: number
  /** What the first attempt takes to be stored, without a look: a row, or `null` for none. */
  assumed?: RowHead | null
  /** Whether the decision needs the stored record, beside its head. */
  needsRecord(head: RowHead): boolean
  decide(stored: StoredRow | undefined): Decision<R>
}

interface Decision<R> {
  result: R
  /** What the row becomes: another one, or `null` for none. Left out: it stays as it is. */
  becomes?: Row | null
}

interface Attempt<R> {
  id: RowId
  stored: StoredRow | undefined
  decision: Decision<R>
}

export interface RowChanges {
  /** Makes changes, those of one row one after the other, and says of each what became of it. */
  make<R>(changes: readonly RowChange<R>[], options?: CallOptions): Promise<R[]>
}

const LANES = 16

/**
 * What changes rows: reads them, decides, and commits on condition that each is still what was read, so it is Firestore
 * that decides. Rows of one call share a commit; if somebody else changed one of them, each is tried by itself, again and
 * again.
 */
export function rowChanges(client: FirestoreClient, reader: RowReader, entities: EntityList): RowChanges {
  async function look<R>(changes: readonly RowChange<R>[], o?: CallOptions): Promise<(StoredRow | undefined)[]> {
    const heads = await reader.heads(
      changes.map(({ id }) => id),
      o,
    )
    return inParallel([...changes.entries()], LANES, async ([index, change]) => {
      const head = heads[index]
      return head !== undefined && change.needsRecord(head) ? reader.stored(change.id, o) : head
    })
  }

  /** Whether it took place: nothing of it does if one of the rows was changed since it was read. */
  async function commit<R>(attempts: readonly Attempt<R>[], o?: CallOptions): Promise<boolean> {
    if (attempts.every(({ decision }) => decision.becomes === undefined)) return true
    const written = attempts.filter(({ decision }) => decision.becomes)
    const unknown = entitiesOf(written).filter((entity) => !entities.knows(entity))
    const grown = entitiesOf(written.filter(({ stored }) => stored === undefined))
    const doubtful = grown.filter((entity) => !unknown.includes(entity))
    const done = await client.send(async (places) => {
      const batch = places.firestore.batch()
      for (const entity of unknown) batch.set(places.entity(entity), { entity })
      for (const attempt of attempts) addTo(batch, places, attempt)
      try {
        await batch.commit()
        return true
      } catch (error) {
        if (isConflict(error)) return false
        throw error
      }
    }, o)
    if (!done) return false
    entities.learn(unknown)
    await entities.confirm(doubtful, o)
    return true
  }

  async function together<R>(changes: readonly RowChange<R>[], o?: CallOptions): Promise<R[] | undefined> {
    const looked = changes.filter(({ assumed }) => assumed === undefined)
    const found = new Map((await look(looked, o)).map((stored, index) => [looked[index]!, stored]))
    const attempts = changes.map((change) => {
      const stored = change.assumed === undefined ? found.get(change) : (change.assumed ?? undefined)
      return { id: change.id, stored, decision: change.decide(stored) }
    })
    return (await commit(attempts, o)) ? attempts.map(({ decision }) => decision.result) : undefined
  }

  async function alone<R>(change: RowChange<R>, o?: CallOptions): Promise<R> {
    for (let attempt = 1; ; attempt++) {
      const [stored] = await look([change], o)
      const decision = change.decide(stored)
      if (await commit([{ id: change.id, stored, decision }], o)) return decision.result
      await backoff(attempt, o)
    }
  }

  return {
    async make<R>(changes: readonly RowChange<R>[], o?: CallOptions) {
      const results: R[] = Array.from({ length: changes.length })
      for (const wave of waves(changes)) {
        await inParallel(slices(changes, wave), LANES, async (slice) => {
          const some = slice.map((index) => changes[index]!)
          const answers = (await together(some, o)) ?? (await inParallel(some, LANES, (change) => alone(change, o)))
          for (const [at, index] of slice.entries()) results[index] = answers[at]!
        })
      }
      return results
    },
  }
}

/** Adds to a commit what a decision makes of a row, with its chunks. */
function addTo(batch: WriteBatch, places: Places, { id, stored, decision: { becomes } }: Attempt<unknown>): void {
  if (becomes === undefined) return
  const row = places.row(id)
  const put = becomes === null ? undefined : toDocuments(becomes)
  if (put === undefined) batch.delete(row, isStill(stored!))
  else if (stored === undefined) batch.create(row, put.fields)
  else batch.update(row, put.fields, isStill(stored))
  const chunk = (chunkId: string): DocumentReference => places.chunk(row, chunkId)
  const kept = new Set(put?.chunks.map((part) => part.id))
  for (const part of put?.chunks ?? []) batch.set(chunk(part.id), { rec: part.rec })
  for (const chunkId of stored?.chunkIds ?? []) if (!kept.has(chunkId)) batch.delete(chunk(chunkId))
}

function entitiesOf(attempts: readonly Attempt<unknown>[]): string[] {
  return [...new Set(attempts.map(({ id }) => id.entity))]
}

function isStill({ updateTime }: RowHead): { lastUpdateTime: RowHead['updateTime'] } {
  return { lastUpdateTime: updateTime }
}

/** Indexes of the changes, in groups that hold no row twice: the first of each row, then the second, and so on. */
function waves(changes: readonly RowChange<unknown>[]): number[][] {
  const found: number[][] = []
  const seen = new Map<string, number>()
  for (const [index, { id }] of changes.entries()) {
    // Rows hold no U+0000.
    const name = `${id.entity}\0${id.key}`
    const turn = seen.get(name) ?? 0
    seen.set(name, turn + 1)
    ;(found[turn] ??= []).push(index)
  }
  return found
}

/** Cuts a wave into what one commit takes. */
function slices(changes: readonly RowChange<unknown>[], wave: readonly number[]): number[][] {
  const found: number[][] = []
  let bytes = 0
  for (const index of wave) {
    const size = changes[index]!.bytes
    const slice = found.at(-1)
    if (slice === undefined || slice.length >= firestoreLimits.maxBatchRows || bytes + size > COMMIT_BYTES) {
      found.push([index])
      bytes = size
    } else {
      slice.push(index)
      bytes += size
    }
  }
  return found
}

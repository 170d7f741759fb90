import { Firestore, type DocumentReference, type DocumentSnapshot } from '@google-cloud/firestore'
import type { RowId, RowWrite } from '@keepsake/core'
import type { RawClient } from './raw-client.ts'

const ALREADY_EXISTS = 6
/** Somebody else came first. The other two are FAILED_PRECONDITION and ABORTED. */
const CONFLICTS: ReadonlySet<unknown> = new Set([ALREADY_EXISTS, 9, 10])

/**
 * `@google-cloud/firestore` by hand: the seq is read, then written on condition that nobody wrote since; a batch shares a
 * read and a commit. Keys are ids of documents, and no list of entities is kept: keys of the benchmark allow the one, and
 * nobody asks for the other.
 */
export async function rawFirestore(projectId: string, collection: string): Promise<RawClient> {
  const firestore = new Firestore({ projectId })
  const rows = (entity: string) => firestore.collection(collection).doc(entity).collection(`${collection}_rows`)
  const place = ({ entity, key }: RowId): DocumentReference => rows(entity).doc(key)

  async function writeBatch(batch: readonly RowWrite[]): Promise<boolean> {
    const places = batch.map(place)
    for (;;) {
      const found = await firestore.getAll(...places, { fieldMask: ['seq'] })
      const commit = firestore.batch()
      let applied = 0
      for (const [i, row] of batch.entries()) {
        const stored = found[i]!
        if (stored.exists && (stored.get('seq') as number) > row.seq) continue
        if (stored.exists) commit.update(stored.ref, fieldsOf(row), { lastUpdateTime: stored.updateTime! })
        else commit.create(stored.ref, fieldsOf(row))
        applied++
      }
      try {
        await commit.commit()
        return applied === batch.length
      } catch (error) {
        if (!CONFLICTS.has((error as { code?: unknown }).code)) throw error
      }
    }
  }

  return {
    write: (row) => writeBatch([row]),
    writeBatch,
    async claim(row) {
      try {
        await place(row).create(fieldsOf(row))
        return true
      } catch (error) {
        if ((error as { code?: unknown }).code === ALREADY_EXISTS) return false
        throw error
      }
    },
    load: async (id) => decode(await place(id).get()),
    async loadMany(ids) {
      const found = await firestore.getAll(...ids.map(place))
      return found.filter(({ exists }) => exists).map(decode)
    },
    async scan(entity, limit) {
      const found = await rows(entity).orderBy('__name__').limit(limit).get()
      return found.docs.map(decode)
    },
    async [Symbol.asyncDispose]() {
      await firestore.recursiveDelete(firestore.collection(collection))
      await firestore.terminate()
    },
  }
}

function fieldsOf({ seq, rec, updatedAtMs, expiresAtMs }: RowWrite) {
  return { seq, rec, updatedAtMs, expiresAtMs: expiresAtMs ?? null }
}

function decode(document: DocumentSnapshot): unknown {
  return document.exists ? { key: document.id, ...document.data() } : undefined
}

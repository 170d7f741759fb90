import type { DocumentReference, DocumentSnapshot } from '@google-cloud/firestore'
import type { CallOptions, Range, Row, RowId } from '@keepsake/core'
import { backoff } from './backoff.ts'
import type { FirestoreClient } from './firestore-client.ts'
import { inParallel } from './in-parallel.ts'
import type { Places } from './places.ts'
import { rangeQuery } from './range-query.ts'
import { HEAD_FIELDS, toHead, toRow, type RowHead } from './row-document.ts'

/** A row as it is stored, with its record where that was asked for. */
export interface StoredRow extends RowHead {
  rec?: Uint8Array
}

export interface RowReader {
  /** What guards need, without the records. */
  heads(ids: readonly RowId[], options?: CallOptions): Promise<(RowHead | undefined)[]>
  /** One row with its record, both of one moment. */
  stored(id: RowId, options?: CallOptions): Promise<StoredRow | undefined>
  rows(ids: readonly RowId[], options?: CallOptions): Promise<(Row | undefined)[]>
  scan(entity: string, range: Range, options?: CallOptions): Promise<Row[]>
  /** The heads of an entity's rows in the order of their keys, a page at a time. */
  pages(entity: string, options?: CallOptions): AsyncIterable<(RowHead & RowId)[]>
}

const LOAD_ROWS = 300
const SCAN_ROWS = 1000
const HEADS = 100
const LANES = 8

export function rowReader(client: FirestoreClient): RowReader {
  async function getAll(
    refs: (places: Places) => DocumentReference[],
    mask: string[] | undefined,
    o: CallOptions | undefined,
  ): Promise<DocumentSnapshot[]> {
    return client.send((places) => {
      const documents = refs(places)
      return places.firestore.getAll(...documents, ...(mask === undefined ? [] : [{ fieldMask: mask }]))
    }, o)
  }

  /**
   * The row of a document, or `undefined` if it was replaced since the document was read: then a chunk that it names is
   * gone.
   */
  async function complete(entity: string, document: DocumentSnapshot, o?: CallOptions): Promise<Row | undefined> {
    const { chunkIds } = toHead(document)!
    if (chunkIds.length === 0) return toRow(entity, document, [])
    const chunks = await getAll(({ chunk }) => chunkIds.map((id) => chunk(document.ref, id)), undefined, o)
    if (!chunks.every(({ exists }) => exists)) return undefined
    return toRow(
      entity,
      document,
      chunks.map((chunk) => chunk.get('rec') as Uint8Array),
    )
  }

  async function readOne(id: RowId, o?: CallOptions): Promise<{ head: RowHead; row: Row } | undefined> {
    for (let attempt = 1; ; attempt++) {
      const [document] = await getAll(({ row }) => [row(id)], undefined, o)
      const head = toHead(document!)
      if (head === undefined) return undefined
      const row = await complete(id.entity, document!, o)
      if (row !== undefined) return { head, row }
      await backoff(attempt, o)
    }
  }

  async function completeOrAgain(id: RowId, document: DocumentSnapshot, o?: CallOptions): Promise<Row | undefined> {
    return (await complete(id.entity, document, o)) ?? (await readOne(id, o))?.row
  }

  async function page(entity: string, range: Range, mask: string[] | undefined, o?: CallOptions) {
    return client.send(async (places) => {
      const query = rangeQuery(places.rows(entity), 'key', range)
      const selected = mask === undefined ? query : query?.select(...mask)
      return (await selected?.get())?.docs ?? []
    }, o)
  }

  return {
    heads: (ids, o) =>
      bySlices(ids, async (slice) => {
        const documents = await getAll(({ row }) => slice.map(row), HEAD_FIELDS, o)
        return documents.map(toHead)
      }),

    async stored(id, o) {
      const found = await readOne(id, o)
      return found && { ...found.head, rec: found.row.rec }
    },

    rows: (ids, o) =>
      bySlices(ids, async (slice) => {
        const documents = await getAll(({ row }) => slice.map(row), undefined, o)
        return inParallel([...documents.entries()], LANES, async ([index, document]) =>
          document.exists ? completeOrAgain(slice[index]!, document, o) : undefined,
        )
      }),

    async scan(entity, { limit, ...range }, o) {
      const rows: Row[] = []
      for (let { after } = range; ;) {
        const count = Math.min(limit - rows.length, SCAN_ROWS)
        const asked = { ...range, ...(after !== undefined && { after }), limit: count }
        const documents = await page(entity, asked, undefined, o)
        // A row that went while its chunks were read leaves room for one more.
        const found = await inParallel(documents, LANES, (document) =>
          completeOrAgain({ entity, key: document.get('key') as string }, document, o),
        )
        rows.push(...found.filter((row) => row !== undefined))
        if (documents.length < count || rows.length === limit) return rows
        after = documents.at(-1)!.get('key') as string
      }
    },

    async *pages(entity, o) {
      for (let after: string | undefined; ;) {
        const range = { limit: HEADS, ...(after !== undefined && { after }) }
        const documents = await page(entity, range, ['key', ...HEAD_FIELDS], o)
        if (documents.length > 0) {
          yield documents.map((document) => ({
            entity,
            key: document.get('key') as string,
            ...toHead(document)!,
          }))
        }
        if (documents.length < HEADS) return
        after = documents.at(-1)!.get('key') as string
      }
    },
  }
}

/** Does something for at most so many ids at a time as one request takes. */
async function bySlices<R>(ids: readonly RowId[], work: (slice: readonly RowId[]) => Promise<R[]>): Promise<R[]> {
  const starts = Array.from({ length: Math.ceil(ids.length / LOAD_ROWS) }, (_, i) => i * LOAD_ROWS)
  const found = await inParallel(starts, LANES, (start) => work(ids.slice(start, start + LOAD_ROWS)))
  return found.flat()
}

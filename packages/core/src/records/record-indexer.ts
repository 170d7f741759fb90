import type { Clock } from '../clock.ts'
import { KeepsakeError, throwIfAborted } from '../errors.ts'
import { encodeTuple } from '../rows/keys.ts'
import type { CallOptions, Row, RowStore } from '../rows/row-store.ts'
import { embedTexts } from '../search/embed-texts.ts'
import { unlessAborted } from '../unless-aborted.ts'
import type { SearchDocument, SearchHit, SearchQuery } from '../search/search-index.ts'
import { decodeEnvelope } from '../values/envelope.ts'
import type { RecordIndex } from './index-options.ts'
import { recordDocument } from './record-document.ts'
import type { RecordRows } from './record-rows.ts'

/** Keeps the index of one owner's records, and asks it. */
export interface RecordIndexer {
  /** Opens the index; what does not fit it is refused here, before anything is written. */
  ready(options?: CallOptions): Promise<void>
  /** Brings the index in line with rows as they are stored. Tombstones and expired rows are taken out. */
  follow(rows: readonly Row[], options?: CallOptions): Promise<void>
  /** Takes out ids that have no row any more. */
  forget(ids: readonly string[], options?: CallOptions): Promise<void>
  /** Indexes what is stored and not indexed, and takes out what is gone. Returns how many records are indexed. */
  rebuild(options?: CallOptions): Promise<number>
  /** Ready to be asked: built, if it never was. The vector of the text, where there are vectors. */
  prepare(text: string, options?: CallOptions): Promise<Pick<SearchQuery, 'text' | 'vector'>>
  query(query: SearchQuery, options?: CallOptions): Promise<SearchHit[]>
}

const SCAN_ROWS = 200

export function recordIndexer(store: RowStore, rows: RecordRows, clock: Clock, index: RecordIndex): RecordIndexer {
  const { search, embedding } = index
  const area = encodeTuple([rows.area])
  // An entity is an encoded tuple, so this is one too: no two owners and areas share it.
  const scope = rows.entity + area
  let opening: Promise<void> | undefined
  let building: Promise<unknown> | undefined

  function ready(options?: CallOptions): Promise<void> {
    throwIfAborted(options?.signal)
    const space = embedding && { model: embedding.model.modelId, dims: embedding.dims }
    opening ??= search.open(space).catch((error: unknown) => {
      opening = undefined
      throw error
    })
    return opening
  }

  async function vectorised(documents: readonly SearchDocument[], options?: CallOptions): Promise<SearchDocument[]> {
    if (embedding === undefined || documents.length === 0) return [...documents]
    const vectors = await embedTexts(
      embedding,
      documents.map(({ text }) => text),
      options,
    )
    return documents.map((document, n) => ({ ...document, vectors: vectors[n]! }))
  }

  async function follow(written: readonly Row[], options?: CallOptions): Promise<void> {
    const nowMs = clock.nowMs()
    const documents: SearchDocument[] = []
    const gone: { id: string; seq: number }[] = []
    for (const row of written) {
      if (row.entity !== rows.entity || !row.key.startsWith(area)) continue
      const document = rows.visible(row, nowMs) ? recordDocument(row, decodeEnvelope(row.rec), index) : undefined
      if (document === undefined) gone.push({ id: row.key, seq: row.seq })
      else documents.push(document)
    }
    if (gone.length > 0) await search.remove(scope, gone, options)
    if (documents.length > 0) await search.index(scope, await vectorised(documents, options), options)
  }

  async function build(): Promise<void> {
    if (!(await search.isBuilt(scope))) await rebuild()
  }

  async function rebuild(options: CallOptions = {}): Promise<number> {
    await ready(options)
    const known = await search.versions(scope, options)
    for (let after: string | undefined; ;) {
      const range = { prefix: area, limit: SCAN_ROWS, ...(after !== undefined && { after }) }
      const page = await store.scan(rows.entity, range, options)
      const fresh = page.filter(({ key, seq }) => known.get(key) !== seq)
      await follow(fresh, options)
      for (const { key } of page) known.delete(key)
      if (page.length < SCAN_ROWS) break
      after = page.at(-1)!.key
    }
    await forget([...known.keys()], options)
    await search.markBuilt(scope, options)
    return (await search.versions(scope, options)).size
  }

  /** What was written since the index was asked has a row again, and stays. */
  async function forget(ids: readonly string[], options?: CallOptions): Promise<void> {
    for (let from = 0; from < ids.length; from += SCAN_ROWS) {
      const some = ids.slice(from, from + SCAN_ROWS)
      const found = await store.load(
        some.map((key) => ({ entity: rows.entity, key })),
        options,
      )
      const gone = some.filter((_, n) => found[n] === undefined)
      if (gone.length > 0)
        await search.remove(
          scope,
          gone.map((id) => ({ id })),
          options,
        )
    }
  }

  return {
    ready,
    follow,
    forget,
    rebuild,

    async prepare(text, options) {
      await ready(options)
      // Shared by all that ask meanwhile, so no signal of one of them ends it.
      building ??= build().catch((error: unknown) => {
        building = undefined
        throw error
      })
      await unlessAborted(building, options?.signal)
      if (embedding === undefined) return { text }
      const [vectors] = await embedTexts(embedding, [text], options)
      return { text, ...(vectors![0] !== undefined && { vector: vectors![0] }) }
    },

    query: (query, options) => search.query(scope, query, options),
  }
}

/** The store's `write`, with an index that follows every row that it applies. */
export function followedWrite(store: RowStore, indexer: RecordIndexer): RowStore['write'] {
  return async (writes, options) => {
    await indexer.ready(options)
    const results = await store.write(writes, options)
    try {
      const applied = writes.flatMap((row, n) => {
        const result = results[n]!
        return result.status === 'applied' ? { ...row, ...(result.rec !== undefined && { rec: result.rec }) } : []
      })
      await indexer.follow(applied, options)
    } catch (cause) {
      throw new KeepsakeError(
        'unavailable',
        'The records are stored, but the search index could not follow: write them again, or rebuild it with reindexRecords or `keepsake reindex`.',
        { cause, retryable: true },
      )
    }
    return results
  }
}

import { systemClock, type Clock } from '../clock.ts'
import { KeepsakeError, throwIfAborted } from '../errors.ts'
import { ownerKey, subjectEntity, type Owner } from '../owner.ts'
import type { CallOptions, RowId, RowStore } from '../rows/row-store.ts'
import type { SearchIndex } from '../search/search-index.ts'
import { indexEntries } from './index-entries.ts'
import { eraseFromStore, type Counts } from './erase-from-store.ts'

/** How far an erasure is, in one of its stores. */
export interface ErasureProgress {
  /** The store's place among those that were given. */
  store: number
  /** `find` counts (a dry run), `remove` removes, `wait` lets `graceMs` pass, `finish` takes the fences away. */
  step: 'find' | 'remove' | 'wait' | 'finish'
  /** Rows so far. */
  rows: number
}

/** Memory files on a disk or in a bucket: `Files` of `@keepsake/files`. */
export interface ErasableFiles {
  glob(
    pattern: string,
    options?: CallOptions,
  ): Promise<{ ok: true; value: { path: string; directory: boolean }[] } | { ok: false; code: string; message: string }>
  delete(path: string, options?: CallOptions): Promise<{ ok: boolean; code?: string; message?: string }>
}

export interface EraseOptions extends CallOptions {
  /** Counts what would go, and writes nothing. */
  dryRun?: boolean
  /**
   * How long a writer may take from reading to writing, in milliseconds: what was under way when the erasure began has
   * landed by then, and a last pass finds it. Default 60,000: twice the lease of an engine, and more than the timeouts of
   * clients. 0 where nothing else writes.
   */
  graceMs?: number
  /** Called as it goes on. */
  onProgress?: (progress: ErasureProgress) => void
  /**
   * Search indexes of records, those in databases above all: the person's entries and those of what was derived from them
   * are taken out, before the rows go.
   */
  indexes?: readonly SearchIndex[]
  /** Called with rows before they are removed, such as to take them out of what you keep elsewhere. */
  beforeRemove?: (rows: readonly RowId[]) => Promise<void> | void
  /** Files that are no rows: all that `paths` (globs) find is deleted. */
  files?: readonly { files: ErasableFiles; paths: readonly string[] }[]
  /** Default: the process's. */
  clock?: Clock
}

export interface ErasureReport {
  subject: Owner
  /** Rows that went, by kind, in all stores: `messages`, `records`, `files`, `commits`, `inbox`, … */
  counts: Counts
  /** The same of each store, in the order in which they were given. */
  stores: { name: string; counts: Counts }[]
  /** Names the audit record: the row `["erasure", id]` of the entity `["audit"]`, in each store. Empty after a dry run. */
  auditId: string
  dryRun: boolean
}

/**
 * Erases a person: every row of theirs in the stores, whatever their number, and what was derived from them in memories of
 * others. All of the owner's entity and threads; of entities of others, the rows that name the person as their subject, and
 * those whose `sources` name the person's threads, records, files or messages.
 *
 * Works beside runs and writers: they are fenced off first and get `conflict`, an answer that a model gives meanwhile is not
 * stored, and after `graceMs` another pass finds what had been on its way. Interrupted, by an abort or a crash, the same call
 * goes on; counts then may miss the last 500 rows before a crash. When it returns, nothing is left, and new data may be stored.
 *
 * Costs a read of all rows of the person and of every entity that holds derived records, twice, and a removal of each row.
 * Data in other stores, backups and logs are not reached: give all stores, and see `docs/privacy.md`.
 */
export async function eraseSubject(
  stores: RowStore | readonly RowStore[],
  subject: Owner,
  options: EraseOptions = {},
): Promise<ErasureReport> {
  const {
    dryRun = false,
    graceMs = 60_000,
    onProgress,
    indexes = [],
    beforeRemove,
    files = [],
    clock = systemClock(),
    signal,
  } = options
  const list = Array.isArray(stores) ? [...new Set<RowStore>(stores)] : [stores as RowStore]
  const key = ownerKey(subject, 'subject')
  subjectEntity(key)
  if (list.length === 0)
    throw new KeepsakeError('invalid_value', 'stores is empty: name every store that may hold rows.')
  if (!Number.isSafeInteger(graceMs) || graceMs < 0 || graceMs > 2 ** 31 - 1)
    throw new KeepsakeError('invalid_value', 'graceMs must be milliseconds: a whole number from 0.')
  throwIfAborted(signal)

  const auditId = clock.newId()
  const call = { signal }
  const ofFiles = await eraseFiles(files, dryRun, call)
  // Side by side: they wait at the same time.
  const done = await Promise.all(
    list.map((store, index) =>
      eraseFromStore({
        store,
        subject: key,
        auditId,
        dryRun,
        graceMs,
        clock,
        entries: indexEntries(indexes, call),
        beforeRemove,
        onStep: (step, rows) => onProgress?.({ store: index, step, rows }),
        call,
      }),
    ),
  )
  // What a run that was under way wrote into files since.
  const later = dryRun ? 0 : await eraseFiles(files, dryRun, call)
  const parts = done.map(({ counts }, index) => ({ name: list[index]!.name, counts }))
  const counts = sumOf([...parts.map((part) => part.counts), ofFiles + later === 0 ? {} : { files: ofFiles + later }])
  return { subject, counts, stores: parts, auditId: done[0]!.auditId, dryRun }
}

async function eraseFiles(
  all: NonNullable<EraseOptions['files']>,
  dryRun: boolean,
  call: CallOptions,
): Promise<number> {
  let erased = 0
  for (const { files, paths } of all) {
    for (const pattern of paths) {
      const found = await files.glob(pattern, call)
      if (!found.ok) {
        if (found.code === 'not_found') continue
        throw notErased(found.message)
      }
      for (const { path, directory } of found.value) {
        if (directory) continue
        const result = dryRun ? { ok: true } : await files.delete(path, call)
        if (result.ok) erased++
        else if (result.code !== 'not_found') throw notErased(result.message)
      }
    }
  }
  return erased
}

function notErased(message = ''): KeepsakeError {
  return new KeepsakeError('unavailable', `A memory file could not be erased: ${message} Repeat the erasure.`)
}

function sumOf(parts: readonly Counts[]): Counts {
  const kinds = [...new Set(parts.flatMap((part) => Object.keys(part)))].toSorted()
  return Object.fromEntries(kinds.map((kind) => [kind, parts.reduce((sum, part) => sum + (part[kind] ?? 0), 0)]))
}

import { createReadStream } from 'node:fs'
import { addAbortSignal } from 'node:stream'
import { migrationMark, throwIfAborted, type Row, type RowStore } from '@keepsake/core'
import { CliError } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { describeStore } from '../describe-store.ts'
import { parseRow } from '../parse-row.ts'
import { formatCount } from '../quantities.ts'
import { readLines } from '../read-lines.ts'
import { safeLine } from '../safe-text.ts'

interface Imported {
  rows: number
  applied: number
  stale: number
}

/** What stands for the standard input in place of a file's name. */
const STDIN = '-'
const ROWS_BETWEEN_PROGRESS = 1000
const BATCH_ROWS = 500
const BATCH_BYTES = 8_000_000

/** Writes the rows of an export, unless what is stored is newer. A file is checked to its end before anything is written. */
export async function run(context: Context, path: string): Promise<void> {
  const { out } = context
  await using store = await context.openStore()
  if ((await migrationMark(store)) !== undefined) {
    throw new CliError(
      'failed',
      `${describeStore(context.storeUri)} is being migrated: what is imported now would be removed again. Finish that first.`,
    )
  }
  const imported: Imported = { rows: 0, applied: 0, stale: 0 }
  const read = (doing: string): AsyncGenerator<Row> => readRows(context, store, path, doing, imported)
  try {
    if (path !== STDIN) for await (const _ of read('checking')) continue
    await importRows(store, read('importing'), imported)
  } catch (error) {
    throw failure(context, path, error)
  } finally {
    out.progress('')
  }
  if (out.json) await out.record({ file: path, ...imported })
  else await out.line(summary(path, imported))
}

async function importRows(store: RowStore, rows: AsyncIterable<Row>, imported: Imported): Promise<void> {
  let batch: Row[] = []
  let bytes = 0
  async function flush(): Promise<void> {
    if (batch.length === 0) return
    const results = await store.write(batch)
    const applied = results.filter(({ status }) => status === 'applied').length
    imported.rows += batch.length
    imported.applied += applied
    imported.stale += batch.length - applied
    batch = []
    bytes = 0
  }
  for await (const row of rows) {
    batch.push(row)
    bytes += row.rec.length
    if (batch.length >= BATCH_ROWS || bytes >= BATCH_BYTES) await flush()
  }
  await flush()
}

async function* readRows(
  { out, signal }: Context,
  { limits }: RowStore,
  path: string,
  doing: string,
  imported: Readonly<Imported>,
): AsyncGenerator<Row> {
  const input = addAbortSignal(signal, path === STDIN ? process.stdin : createReadStream(path))
  let line = 0
  let rows = 0
  for await (const bytes of readLines(input)) {
    line++
    throwIfAborted(signal)
    if (bytes.every(isBlank)) continue
    let row: Row
    try {
      row = parseRow(bytes, limits)
    } catch (error) {
      const problem = `${nameOf(path)}, line ${line}: ${(error as Error).message}.`
      const before = imported.rows === 0 ? 'Nothing was' : `${formatCount(imported.rows, 'row')} before it were`
      throw new CliError('failed', `${problem} ${before} imported.`, { cause: error })
    }
    yield row
    if (++rows % ROWS_BETWEEN_PROGRESS === 0) out.progress(`${doing}: ${formatCount(rows, 'row')}`)
  }
}

/** A line feed of Windows leaves a carriage return; JSON counts space and tab as nothing too. */
function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d
}

function nameOf(path: string): string {
  return path === STDIN ? 'standard input' : safeLine(path)
}

function summary(path: string, { rows, applied, stale }: Imported): string {
  const read = `Read ${formatCount(rows, 'row')} from ${nameOf(path)}`
  if (stale === 0) return `${read}, and wrote them.`
  return `${read}, and wrote ${applied.toLocaleString('en')}: of the others, what is stored is newer.`
}

function failure({ signal }: Context, path: string, error: unknown): unknown {
  if (signal.aborted) {
    return new CliError(
      'interrupted',
      'Interrupted. Repeat the same command: rows that are stored already do no harm.',
      {
        cause: error,
      },
    )
  }
  // What comes from the file system, and not from the store.
  if ((error as NodeJS.ErrnoException).syscall === undefined) return error
  return new CliError('failed', `${nameOf(path)} cannot be read: ${(error as Error).message}`, { cause: error })
}

import {
  exportSubject,
  KeepsakeError,
  MIGRATION_ENTITY,
  migrationMark,
  walkEntities,
  walkRows,
  type RowStore,
} from '@keepsake/core'
import { CliError, usageError } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { entityNotFound } from '../entity-not-found.ts'
import { openExportFile, partialPath } from '../export-file.ts'
import { formatCount } from '../quantities.ts'
import { exportedRow } from '../row-json.ts'
import { jsonLine } from '../safe-text.ts'
import { formatTupleText, fromTupleJson, parseTuple, parseTupleText } from '../tuple-text.ts'

export interface ExportOptions {
  entity?: string
  subject?: string
  out?: string
  resume?: boolean
}

interface Position {
  entity: string
  key: string
}

const ROWS_BETWEEN_PROGRESS = 1000

/** Writes all rows, or those of one entity, as JSON Lines: in order, so an export that was interrupted can go on. */
export async function run(context: Context, options: ExportOptions): Promise<void> {
  const { out: path, resume = false } = options
  if (options.subject !== undefined) return await exportPerson(context, options.subject, options)
  const entity = options.entity === undefined ? undefined : parseTupleText(options.entity, '--entity')
  if (resume && path === undefined) throw usageError('--resume goes on with a file: name it with --out.')
  await using store = await context.openStore()
  if (entity !== undefined && (await store.scan(entity, { limit: 1 })).length === 0) {
    throw await entityNotFound(store, entity)
  }
  if ((await migrationMark(store)) !== undefined) {
    context.out.note('This store is being migrated: what it has is not complete.')
  }
  if (path === undefined) await exportRows(context, store, entity, undefined, (line) => context.out.line(line))
  else await exportToFile(context, store, entity, path, resume)
}

/** Everything that is held about a person, as lines that the person can read; not what `keepsake import` takes. */
async function exportPerson(
  { out, signal, openStore }: Context,
  subjectText: string,
  { entity, out: path, resume }: ExportOptions,
): Promise<void> {
  if (entity !== undefined) throw usageError('--subject and --entity are two exports: give one of them.')
  if (resume) throw usageError('An export with --subject is not resumed: repeat it.')
  const subject = parseTuple(subjectText, '--subject')
  await using store = await openStore()
  await store.verify({ signal })
  const file = path === undefined ? undefined : await openExportFile(path, false)
  let count = 0
  try {
    for await (const { store: _, ...item } of exportSubject(store, subject, { signal })) {
      await (file ?? out).line(jsonLine(item))
      if (++count % ROWS_BETWEEN_PROGRESS === 0) out.progress(formatCount(count, 'item'))
    }
    await file?.complete()
  } catch (error) {
    await file?.suspend()
    throw error
  } finally {
    out.progress('')
  }
  if (count === 0) out.note('Nothing is held about this person.')
  if (file === undefined) return
  if (out.json) await out.record({ file: path, items: count })
  else await out.line(`Wrote ${formatCount(count, 'item')} to ${path}.`)
}

async function exportToFile(
  context: Context,
  store: RowStore,
  entity: string | undefined,
  path: string,
  resume: boolean,
): Promise<void> {
  const { out } = context
  const file = await openExportFile(path, resume)
  let count: number
  try {
    const from = file.lastLine === undefined ? undefined : positionOf(file.lastLine, path, entity)
    count = await exportRows(context, store, entity, from, (line) => file.line(line))
    await file.complete()
  } catch (error) {
    await file.suspend()
    throw suspended(error, path)
  }
  const more = file.lastLine === undefined ? 'row' : 'more row'
  if (out.json) await out.record({ file: path, rows: count })
  else await out.line(`Wrote ${formatCount(count, more)} to ${path}.`)
}

async function exportRows(
  { out }: Context,
  store: RowStore,
  only: string | undefined,
  from: Position | undefined,
  write: (line: string) => Promise<void>,
): Promise<number> {
  let count = 0
  try {
    for await (const entity of entitiesFrom(store, only, from)) {
      for await (const row of walkRows(store, entity, { after: entity === from?.entity ? from.key : undefined })) {
        await write(jsonLine(exportedRow(row)))
        if (++count % ROWS_BETWEEN_PROGRESS === 0) out.progress(formatCount(count, 'row'))
      }
    }
  } finally {
    out.progress('')
  }
  return count
}

async function* entitiesFrom(
  store: RowStore,
  only: string | undefined,
  from: Position | undefined,
): AsyncGenerator<string> {
  if (only !== undefined) {
    yield only
    return
  }
  if (from !== undefined) yield from.entity
  for await (const entity of walkEntities(store, { after: from?.entity })) {
    // It says that this store is not complete, which is not true of what it is imported into.
    if (entity !== MIGRATION_ENTITY) yield entity
  }
}

/** Where the interrupted export of a file stopped, as its last line says. */
function positionOf(line: string, path: string, only: string | undefined): Position {
  const { entity, key } = parsePosition(line)
  if (entity === undefined || key === undefined) {
    throw usageError(
      `${partialPath(path)} is no export of ours, so it cannot be gone on with. Remove it, or leave out --resume.`,
    )
  }
  if (only !== undefined && only !== entity) {
    throw usageError(
      `${partialPath(path)} was begun with another --entity than ${formatTupleText(only)}. Repeat the command as it was, or remove that file.`,
    )
  }
  return { entity, key }
}

function parsePosition(line: string): Partial<Record<'entity' | 'key', string | undefined>> {
  try {
    const row = JSON.parse(line) as { entity?: unknown; key?: unknown } | null
    return { entity: fromTupleJson(row?.entity), key: fromTupleJson(row?.key) }
  } catch {
    return {}
  }
}

function suspended(error: unknown, path: string): unknown {
  if (error instanceof CliError) return error
  const goOn = `What was written is in ${partialPath(path)}: go on with the same command and --resume.`
  if (KeepsakeError.isInstance(error, 'aborted')) {
    return new CliError('interrupted', `Interrupted. ${goOn}`, { cause: error })
  }
  return new CliError('failed', `${(error as Error).message} ${goOn}`, { cause: error })
}

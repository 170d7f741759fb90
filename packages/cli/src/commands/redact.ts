import { createReadStream } from 'node:fs'
import { addAbortSignal } from 'node:stream'
import { text as textOf } from 'node:stream/consumers'
import { decodeEnvelope, peekEnvelope, walkEntities, walkRows, type Row } from '@keepsake/core'
import { createRedactor } from '@keepsake/privacy'
import { CliError, usageError } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { describeStore } from '../describe-store.ts'
import { entityNotFound } from '../entity-not-found.ts'
import { formatCount } from '../quantities.ts'
import { redactedLines } from '../redacted-lines.ts'
import { safeLine } from '../safe-text.ts'
import { formatTupleText, parseTupleText, tupleJson } from '../tuple-text.ts'

export interface RedactOptions {
  stored?: boolean
  entity?: string
}

/** What of one kind was found in a store, and where first. */
interface Found {
  count: number
  rows: number
  first: Row
}

const STDIN = '-'
const ROWS_BETWEEN_PROGRESS = 1000

/** Shows what redaction would replace, in a text or in what a store holds. Changes nothing. */
export async function run(context: Context, path: string | undefined, options: RedactOptions): Promise<void> {
  const { stored = options.entity !== undefined, entity } = options
  if (stored === (path !== undefined))
    throw usageError('Name a file (- reads standard input), or look at what is stored with --stored: one of the two.')
  if (path === undefined) await previewStore(context, entity)
  else await previewText(context, path)
}

async function previewText({ out, signal }: Context, path: string): Promise<void> {
  const text = await read(path, signal)
  const found = createRedactor().find(text)
  const lines = redactedLines(text, found)
  const name = path === STDIN ? 'standard input' : safeLine(path)
  if (out.json) {
    for (const { line, column, redaction } of lines.flatMap(({ findings }) => findings))
      await out.record({ line, column, kind: redaction.name, start: redaction.start, end: redaction.end })
    return
  }
  for (const { line, pieces } of lines) {
    const shown = pieces.map((piece) =>
      'kind' in piece ? out.style('yellow', `[${piece.kind}]`) : safeLine(piece.text),
    )
    await out.line(`${out.style('dim', `${line}:`)} ${shown.join('')}`)
  }
  if (found.length === 0) await out.line(`Nothing would be redacted in ${name}.`)
  else await out.line(`${formatCount(found.length, 'text')} would be redacted in ${name}: ${kinds(found)}.`)
}

/** `1 PHONE, 2 EMAIL`, in the order of the names. */
function kinds(found: readonly { name: string }[]): string {
  return Array.from(Map.groupBy(found, ({ name }) => name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, all]) => `${all.length.toLocaleString('en')} ${name}`)
    .join(', ')
}

async function read(path: string, signal: AbortSignal): Promise<string> {
  try {
    return await textOf(addAbortSignal(signal, path === STDIN ? process.stdin : createReadStream(path)))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error
    throw new CliError('failed', `${safeLine(path)} cannot be read: ${(error as Error).message}`, { cause: error })
  }
}

async function previewStore({ out, storeUri, openStore }: Context, entityText: string | undefined): Promise<void> {
  const only = entityText === undefined ? undefined : parseTupleText(entityText, '--entity')
  await using store = await openStore()
  if (only !== undefined && (await store.scan(only, { limit: 1 })).length === 0) throw await entityNotFound(store, only)
  const redactor = createRedactor()
  const found = new Map<string, Found>()
  let [rows, sealed] = [0, 0]
  try {
    for await (const entity of only === undefined ? walkEntities(store) : [only]) {
      for await (const row of walkRows(store, entity)) {
        if (++rows % ROWS_BETWEEN_PROGRESS === 0) out.progress(`looking: ${formatCount(rows, 'row')}`)
        if (row.rec.length === 0) continue
        if (peekEnvelope(row.rec) === undefined) {
          sealed++
          continue
        }
        for (const [kind, count] of Object.entries(redactor.count(decodeEnvelope(row.rec).value))) {
          const before = found.get(kind)
          found.set(kind, {
            count: (before?.count ?? 0) + count,
            rows: (before?.rows ?? 0) + 1,
            first: before?.first ?? row,
          })
        }
      }
    }
  } finally {
    out.progress('')
  }
  const sorted = [...found].toSorted(([, a], [, b]) => b.count - a.count)
  if (out.json) {
    for (const [kind, { count, rows: inRows, first }] of sorted)
      await out.record({ kind, count, rows: inRows, entity: tupleJson(first.entity), key: tupleJson(first.key) })
    if (sealed > 0) await out.record({ unreadable: sealed })
    return
  }
  if (sorted.length > 0)
    await out.table(
      [{ title: 'KIND' }, { title: 'FOUND', align: 'right' }, { title: 'ROWS', align: 'right' }, { title: 'FIRST IN' }],
      sorted.map(([kind, { count, rows: inRows, first }]) => [
        kind,
        count.toLocaleString('en'),
        inRows.toLocaleString('en'),
        `${formatTupleText(first.entity)} ${formatTupleText(first.key)}`,
      ]),
    )
  else await out.line(`Nothing of ${formatCount(rows, 'row')} in ${describeStore(storeUri)} would be redacted.`)
  if (sealed > 0) out.note(`${formatCount(sealed, 'row')} could not be read: encrypted, or written by something else.`)
}

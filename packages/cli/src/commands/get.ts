import { systemClock, type Envelope, type Row } from '@keepsake/core'
import { notFoundError } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { entityNotFound } from '../entity-not-found.ts'
import { toJsonValue } from '../json-value.ts'
import { formatBytes, formatTime } from '../quantities.ts'
import { rowContent, rowJson, rowState } from '../row-json.ts'
import { escapeJson, safeLine } from '../safe-text.ts'
import { formatTuple, formatTupleText, parseTupleText } from '../tuple-text.ts'

/** Shows one row with all that its record holds. */
export async function run(context: Context, entityText: string, keyText: string): Promise<void> {
  const { out } = context
  const entity = parseTupleText(entityText, 'ENTITY')
  const key = parseTupleText(keyText, 'KEY')
  await using store = await context.openStore()
  const [row] = await store.load([{ entity, key }])
  if (row === undefined) {
    const [any] = await store.scan(entity, { limit: 1 })
    if (any === undefined) throw await entityNotFound(store, entity)
    const name = formatTupleText(entity)
    throw notFoundError(`${name} has no row ${formatTupleText(key)}. See its rows with: keepsake ls '${name}'`)
  }
  if (out.json) await out.record(rowJson(row))
  else await show(context, row)
}

async function show({ out }: Context, row: Row): Promise<void> {
  const content = rowContent(row)
  const state = rowState(row, systemClock().nowMs())
  const facts: [string, string][] = [
    ['entity', formatTupleText(row.entity)],
    ['key', formatTupleText(row.key)],
    ['seq', String(row.seq)],
    ['size', formatBytes(row.rec.length)],
    ['updated', formatTime(row.updatedAtMs)],
    ...(row.expiresAtMs === undefined ? [] : [['expires', formatTime(row.expiresAtMs)] as [string, string]]),
    ...('envelope' in content ? envelopeFacts(content.envelope) : []),
    ...(state === 'live' ? [] : [['state', state] as [string, string]]),
  ]
  const width = Math.max(...facts.map(([name]) => name.length))
  for (const [name, fact] of facts) await out.line(`${out.style('dim', name.padEnd(width))}  ${fact}`)
  await out.line('')
  if ('envelope' in content) await out.line(escapeJson(JSON.stringify(toJsonValue(content.envelope.value), null, 2)))
  else if ('tombstone' in content)
    await out.line('(removed: a tombstone, which keeps late duplicates from coming back)')
  else await out.line(`(${safeLine(content.unreadable)} keepsake get --json shows the bytes.)`)
}

function envelopeFacts(envelope: Envelope): [string, string][] {
  const facts: [string, string][] = [['created', formatTime(envelope.createdAtMs)]]
  if (envelope.owner !== undefined) facts.push(['owner', formatTuple(envelope.owner)])
  if (envelope.subject !== undefined) facts.push(['subject', formatTuple(envelope.subject)])
  if (envelope.sources !== undefined)
    facts.push(['sources', envelope.sources.map((source) => safeLine(source)).join(', ')])
  if (envelope.writeIds !== undefined) facts.push(['writes', envelope.writeIds.map((id) => safeLine(id)).join(', ')])
  return facts
}

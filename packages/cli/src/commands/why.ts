import { encodeTuple, ownerEntity, peekEnvelope, type RowStore } from '@keepsake/core'
import { notFoundError } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { formatTime } from '../quantities.ts'
import { safeLine } from '../safe-text.ts'
import { formatTuple, parseTuple } from '../tuple-text.ts'

/** A record, and what it was derived from, that again, and so on. */
interface Origin {
  source: string
  /** Left out where it is no record of this store, or gone. */
  createdAtMs?: number
  sources: Origin[]
}

/** So far the sources of sources are followed. */
const MAX_DEPTH = 20

/** Says where a record came from: who wrote it when, and which turns, files, tools or records it was derived from. */
export async function run({ out, openStore }: Context, ownerText: string, keyText: string): Promise<void> {
  const owner = parseTuple(ownerText, 'OWNER')
  const key = parseTuple(keyText, 'KEY')
  await using store = await openStore()
  const id = { entity: ownerEntity(owner), key: encodeTuple(['r', ...key]) }
  const [row] = await store.load([id])
  const envelope = row && peekEnvelope(row.rec)
  if (row === undefined || envelope === undefined) {
    throw notFoundError(
      `${formatTuple(owner)} has no record ${formatTuple(key)}. See them with: keepsake records '${formatTuple(owner)}'`,
    )
  }
  const seen = new Set([id.entity + id.key])
  const sources = await Promise.all((envelope.sources ?? []).map((source) => follow(store, source, seen, 1)))
  const subject = envelope.subject ?? envelope.owner
  if (out.json) {
    const { createdAtMs } = envelope
    return await out.record({ key, createdAtMs, updatedAtMs: row.updatedAtMs, ...(subject && { subject }), sources })
  }
  await out.line(
    `${formatTuple(key)}  written ${formatTime(row.updatedAtMs)}${subject ? `, about ${formatTuple(subject)}` : ''}`,
  )
  if (sources.length === 0) await out.line('It names no sources: it was written as it stands.')
  for (const source of sources) await show(source, '  ')

  async function show(origin: Origin, indent: string): Promise<void> {
    const when = origin.createdAtMs === undefined ? '' : `  ${formatTime(origin.createdAtMs)}`
    await out.line(`${indent}from ${safeLine(origin.source)}${when}`)
    for (const source of origin.sources) await show(source, `${indent}  `)
  }
}

async function follow(store: RowStore, source: string, seen: Set<string>, depth: number): Promise<Origin> {
  const id = recordOf(source)
  if (id === undefined || depth > MAX_DEPTH || seen.has(id.entity + id.key)) return { source, sources: [] }
  seen.add(id.entity + id.key)
  const [row] = await store.load([id])
  const envelope = row && peekEnvelope(row.rec)
  if (envelope === undefined) return { source, sources: [] }
  const sources: Origin[] = []
  for (const next of envelope.sources ?? []) sources.push(await follow(store, next, seen, depth + 1))
  return { source, createdAtMs: envelope.createdAtMs, sources }
}

function parts(text: string): string[] {
  return text.split('/').map((part) => decodeURIComponent(part))
}

/** The row of a source that is a record, as `sourceText` writes it. */
function recordOf(source: string): { entity: string; key: string } | undefined {
  const match = /^record:([^#]*)#(.*)$/s.exec(source)
  if (match === null) return undefined
  try {
    return { entity: ownerEntity(parts(match[1]!)), key: encodeTuple(['r', ...parts(match[2]!)]) }
  } catch {
    return undefined
  }
}

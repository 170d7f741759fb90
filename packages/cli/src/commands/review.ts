import { approveRecord, quarantinedRecords, records, type QuarantinedEntry } from '@keepsake/core'
import { rowFiles } from '@keepsake/files'
import { CliError, notFoundError, usageError } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { toJsonValue } from '../json-value.ts'
import { reviewFiles } from '../review-files.ts'
import { escapeJson, safeLine } from '../safe-text.ts'
import { formatTuple, parseTuple } from '../tuple-text.ts'

export interface ReviewOptions {
  approve?: boolean
  reject?: boolean
  files?: boolean
  root?: string
}

/** Shows what of an owner's records, or memory files, waits in quarantine; approves or deletes one. */
export async function run(
  context: Context,
  ownerText: string,
  keyText: string | undefined,
  { approve = false, reject = false, files = false, root }: ReviewOptions,
): Promise<void> {
  const { out, openStore, signal } = context
  if (approve && reject) throw usageError('--approve keeps what waits and --reject deletes it: give one of them.')
  if ((approve || reject) && keyText === undefined) throw usageError('Name what you have looked at: KEY, or a path.')
  const owner = parseTuple(ownerText, 'OWNER')
  if (root !== undefined) {
    const { localFiles } = await import('@keepsake/files/local')
    return await reviewFiles(context, localFiles({ root }), keyText, { approve, reject })
  }
  await using store = await openStore()
  if (files) return await reviewFiles(context, rowFiles(store, owner), keyText, { approve, reject })
  const wanted = keyText === undefined ? undefined : parseTuple(keyText, 'KEY')
  const waiting: QuarantinedEntry[] = []
  for await (const entry of quarantinedRecords(store, owner, { signal })) {
    if (wanted === undefined || formatTuple(entry.key) === formatTuple(wanted)) waiting.push(entry)
  }
  if (wanted !== undefined && waiting.length === 0)
    throw notFoundError(`No record ${formatTuple(wanted)} of ${formatTuple(owner)} is in quarantine.`)
  if (approve || reject) {
    const { key, version } = waiting[0]!
    const done = approve
      ? await approveRecord(store, owner, key, version, { signal })
      : await records(store, owner).delete(key, { ifVersion: version, signal })
    if (!done) throw new CliError('failed', 'The record was changed meanwhile. Look at it again.')
    const status = approve ? 'approved' : 'rejected'
    if (out.json) await out.record({ key, status })
    else await out.line(`${formatTuple(key)} is ${status}.`)
    return
  }
  for (const { key, value, sources } of waiting) {
    if (out.json) await out.record({ key, value: toJsonValue(value), sources })
    else {
      await out.line(`${formatTuple(key)}  ${escapeJson(JSON.stringify(toJsonValue(value)))}`)
      await out.line(`  from ${sources.map((source) => safeLine(source)).join(', ')}`)
    }
  }
  if (waiting.length === 0) out.note('Nothing is in quarantine.')
}

import { approveRecord, quarantinedRecords, records, type QuarantinedEntry } from '@keepsake/core'
import { CliError, notFoundError, usageError } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { toJsonValue } from '../json-value.ts'
import { escapeJson, safeLine } from '../safe-text.ts'
import { formatTuple, parseTuple } from '../tuple-text.ts'

export interface ReviewOptions {
  approve?: boolean
  reject?: boolean
}

/** Shows what of an owner's records waits in quarantine; approves or deletes one. */
export async function run(
  { out, openStore, signal }: Context,
  ownerText: string,
  keyText: string | undefined,
  { approve = false, reject = false }: ReviewOptions,
): Promise<void> {
  if (approve && reject) throw usageError('--approve keeps a record and --reject deletes it: give one of them.')
  if ((approve || reject) && keyText === undefined) throw usageError('Name the record that you have looked at: KEY.')
  const owner = parseTuple(ownerText, 'OWNER')
  const wanted = keyText === undefined ? undefined : parseTuple(keyText, 'KEY')
  await using store = await openStore()
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

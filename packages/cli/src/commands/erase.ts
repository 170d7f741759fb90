import { eraseSubject, KeepsakeError, type ErasureProgress, type ErasureReport, type SearchIndex } from '@keepsake/core'
import { openSearchIndex } from '@keepsake/open'
import { CliError, toUsageError, usageError } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { describeStore } from '../describe-store.ts'
import { formatCount } from '../quantities.ts'
import { formatTuple, parseTuple } from '../tuple-text.ts'

export interface EraseCommandOptions {
  dryRun?: boolean
  yes?: boolean
  grace?: number
  table?: string
}

const STEPS = { find: 'finding', remove: 'removed', wait: 'waiting for writers', finish: 'finishing' } as const

/** Erases a person from the store; without `--yes` it only says what would go. */
export async function run(context: Context, subjectText: string, options: EraseCommandOptions): Promise<void> {
  const { out, signal, storeUri } = context
  const { dryRun = false, yes = false, grace = 60, table } = options
  const subject = parseTuple(subjectText, 'SUBJECT')
  if (dryRun && yes) throw usageError('--dry-run removes nothing and --yes removes: give one of them.')
  await using store = await context.openStore()
  await store.verify({ signal })
  const onProgress = ({ step, rows }: ErasureProgress): void => {
    out.progress(step === 'wait' ? `${STEPS.wait} (${grace} s)` : `${STEPS[step]}: ${formatCount(rows, 'row')}`)
  }
  let report: ErasureReport
  try {
    await using index = await openIndex(storeUri, table, signal)
    const indexes = index === undefined ? [] : [index]
    report = await eraseSubject(store, subject, { dryRun: !yes, graceMs: grace * 1000, indexes, onProgress, signal })
  } catch (error) {
    if (!yes || !KeepsakeError.isInstance(error, 'aborted')) throw toUsageError(error)
    const text = 'Interrupted: part of it is erased, and nobody can write for this person. Go on with the same command.'
    throw new CliError('interrupted', text, { cause: error })
  } finally {
    out.progress('')
  }
  await show(context, report, formatTuple(subject), describeStore(storeUri))
}

/** The search index in the store's database, if it has one. */
async function openIndex(
  uri: string,
  table: string | undefined,
  signal: AbortSignal,
): Promise<SearchIndex | undefined> {
  let index: SearchIndex
  try {
    index = await openSearchIndex(uri, table === undefined ? {} : { table })
  } catch (error) {
    // Stores that keep none.
    if (table === undefined && KeepsakeError.isInstance(error, 'unsupported')) return undefined
    throw error
  }
  try {
    await index.space({ signal })
    return index
  } catch (error) {
    await index.close()
    if (table === undefined && KeepsakeError.isInstance(error, 'not_provisioned')) return undefined
    throw error
  }
}

async function show({ out }: Context, report: ErasureReport, subject: string, store: string): Promise<void> {
  const { counts, auditId, dryRun } = report
  const total = Object.values(counts).reduce((sum, n) => sum + n, 0)
  if (out.json) {
    await out.record({
      subject,
      store,
      status: dryRun ? 'found' : 'erased',
      rows: total,
      counts,
      ...(auditId !== '' && { auditId }),
    })
    return
  }
  if (total > 0) {
    await out.table(
      [{ title: 'KIND' }, { title: 'ROWS', align: 'right' }],
      Object.entries(counts).map(([kind, n]) => [kind, n.toLocaleString('en')]),
    )
  }
  if (!dryRun)
    await out.line(`Erased ${formatCount(total, 'row')} of ${subject}. Audit record: audit, erasure/${auditId}`)
  else if (total === 0) await out.line(`${store} holds nothing of ${subject}.`)
  else
    await out.line(`${formatCount(total, 'row')} would go; nothing was changed. To erase them, repeat it with --yes.`)
}

import { compareStores, KeepsakeError, migrateRows, type MigrationEvent, type RowStore } from '@keepsake/core'
import { CliError, usageError } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { describeStore } from '../describe-store.ts'
import { progressBar } from '../progress-bar.ts'
import { formatBytes, formatCount } from '../quantities.ts'
import { adviseStore } from '../store-advice.ts'
import { hashIdentity, storeIdentity } from '../store-identity.ts'
import { formatTupleText } from '../tuple-text.ts'

export interface MigrateCommandOptions {
  final?: boolean
  verify?: boolean
}

interface Move {
  source: RowStore
  target: RowStore
  /** Addresses without secrets. */
  names: { from: string; to: string }
}

/** Moves the rows of one store into another, or with `--verify` says whether they have the same. */
export async function run(context: Context, from: string, to: string, options: MigrateCommandOptions): Promise<void> {
  const { final = false, verify = false } = options
  if (final && verify) throw usageError('Use --final first, and --verify after it.')
  const sourceId = hashIdentity(identify(from, to))
  await using source = await openEnd(context, from)
  await using target = await openEnd(context, to)
  const move = { source, target, names: { from: describeStore(from), to: describeStore(to) } }
  try {
    if (verify) await compare(context, move)
    else await migrate(context, move, sourceId, final)
  } finally {
    context.out.progress('')
  }
}

/** What the source is, if it is one that lasts, and not the target too. */
function identify(from: string, to: string): string {
  const source = storeIdentity(from)
  const target = storeIdentity(to)
  if (source === undefined || target === undefined) {
    throw usageError('A store in memory is new and empty in every process: nothing can be moved out of it or into it.')
  }
  if (source === target) throw usageError('FROM and TO are the same store.')
  return source
}

/** One of the two stores, ready for use. Its failures name it: there are two that may be meant. */
async function openEnd(context: Context, uri: string): Promise<RowStore> {
  try {
    const store = await context.openStore({ uri })
    try {
      await store.verify({ signal: context.signal })
    } catch (error) {
      await store.close()
      throw error
    }
    return store
  } catch (error) {
    if (!KeepsakeError.isInstance(error) || error.code === 'aborted') throw error
    const { code, message, retryable, details } = error
    throw new KeepsakeError(code, `${describeStore(uri)}: ${adviseStore(message, uri)}`, {
      retryable,
      details,
      cause: error,
    })
  }
}

async function migrate(context: Context, move: Move, sourceId: string, final: boolean): Promise<void> {
  const { out, signal } = context
  const onEvent = (event: MigrationEvent): void => showEvent(context, event)
  const result = await migrateRows(move.source, move.target, { sourceId, final, onEvent, signal }).catch(
    (error: unknown) => {
      if (!KeepsakeError.isInstance(error, 'aborted')) throw error
      throw new CliError('interrupted', 'Interrupted. Go on with the same command.', { cause: error })
    },
  )
  out.progress('')
  if (out.json) {
    await out.record({ ...move.names, status: final ? 'moved' : 'copied', ...result })
    return
  }
  const { from, to } = move.names
  const did = `Copied ${formatCount(result.copied, 'row')} in ${formatCount(result.passes, 'pass', 'passes')}`
  if (final) {
    const removed = result.removed > 0 ? `, removed ${result.removed.toLocaleString('en')}` : ''
    await out.line(`${did}${removed}. ${to} has what ${from} has: start on it now.`)
  } else if (result.newer === 0) {
    await out.line(`${did}; the last found nothing newer. Stop all who write, then repeat the command with --final.`)
  } else {
    const newer = formatCount(result.newer, 'newer row')
    await out.line(
      `${did}; the last found ${newer}, as ${from} is written to. Stop all who write, then repeat the command with --final.`,
    )
  }
}

const STEPS = { check: 'checking', copy: 'copying', final: 'final pass' } as const

function showEvent({ out }: Context, event: MigrationEvent): void {
  if (event.type === 'too-large') {
    out.progress('')
    out.note(`${formatTupleText(event.entity)}  ${formatTupleText(event.key)}  ${formatBytes(event.bytes)}: too large`)
  } else if (event.total === undefined) {
    out.progress(`${STEPS[event.step]}: ${formatCount(event.rows, 'row')}`)
  } else {
    const pass = event.step === 'copy' && event.pass > 1 ? `, pass ${event.pass}` : ''
    out.progress(progressBar(`${STEPS[event.step]}${pass}`, event.rows, event.total))
  }
}

async function compare({ out, signal }: Context, { source, target, names }: Move): Promise<void> {
  const onProgress = (rows: number): void => out.progress(`comparing: ${formatCount(rows, 'row')}`)
  const found = await compareStores(source, target, { onProgress, signal })
  out.progress('')
  const { rows, missing, different, extra } = found
  const same = missing + different + extra === 0
  if (out.json) await out.record({ ...names, status: same ? 'same' : 'different', ...found })
  else if (same) await out.line(`${names.to} has the ${formatCount(rows, 'row')} of ${names.from}, all the same.`)
  else {
    await out.line(
      `Of ${formatCount(rows, 'row')} ${missing.toLocaleString('en')} are missing and ${different.toLocaleString('en')} different; ${extra.toLocaleString('en')} more are only in ${names.to}.`,
    )
  }
  if (!same) throw new CliError('failed', 'The two stores do not have the same rows.')
}

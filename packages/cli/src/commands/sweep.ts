import { createRetention, KeepsakeError, type RetentionRule } from '@keepsake/core'
import { CliError, usageError } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { formatCount } from '../quantities.ts'
import { parseTuple } from '../tuple-text.ts'

export interface SweepCommandOptions {
  keep?: string[]
  dryRun?: boolean
  yes?: boolean
  pause?: number
  full?: boolean
}

const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 604_800_000, y: 31_557_600_000 }

/** Removes what is older than its rule says; without `--yes` it only counts. */
export async function run({ out, signal, openStore }: Context, options: SweepCommandOptions): Promise<void> {
  const { keep = [], dryRun = false, yes = false, pause = 0, full = false } = options
  if (dryRun && yes) throw usageError('--dry-run removes nothing and --yes removes: give one of them.')
  if (keep.length === 0) throw usageError('Say what is kept for how long, such as --keep messages=365d.')
  const retention = createRetention({ rules: keep.map(parseRule) })
  await using store = await openStore()
  await store.verify({ signal })
  const onProgress = (rows: number): void => out.progress(`${yes ? 'removed' : 'due'}: ${formatCount(rows, 'row')}`)
  const { counts } = await retention
    .sweep(store, { dryRun: !yes, full, pauseMs: pause, onProgress, signal })
    .catch((error: unknown) => {
      if (!yes || !KeepsakeError.isInstance(error, 'aborted')) throw error
      throw new CliError('interrupted', 'Interrupted. Go on with the same command.', { cause: error })
    })
    .finally(() => out.progress(''))
  const total = Object.values(counts).reduce((sum, n) => sum + n, 0)
  if (out.json) return await out.record({ status: yes ? 'removed' : 'found', rows: total, counts })
  for (const [kind, n] of Object.entries(counts)) await out.line(`${kind}: ${n.toLocaleString('en')}`)
  if (yes) await out.line(`Removed ${formatCount(total, 'row')}.`)
  else if (total === 0) await out.line('Nothing is due.')
  else
    await out.line(`${formatCount(total, 'row')} would go; nothing was changed. To remove them, repeat it with --yes.`)
}

/** `messages=365d`, `records:memories/chat=90d`. */
function parseRule(text: string): RetentionRule {
  const match = /^([a-z_]+)(?::(.+))?=(\d+)([hdwy])$/s.exec(text)
  if (match === null) {
    throw usageError(
      `--keep ${text} is not understood. Write KIND=PERIOD, such as messages=365d or records:episodes=12w.`,
    )
  }
  const [, kind, namespace, count, unit] = match
  if (namespace !== undefined && kind !== 'records') throw usageError('Only records have a namespace.')
  const rule = { kind, maxAgeMs: Number(count) * UNITS[unit!]! }
  try {
    const checked = { ...rule, ...(namespace !== undefined && { namespace: parseTuple(namespace, '--keep') }) }
    createRetention({ rules: [checked as RetentionRule] })
    return checked as RetentionRule
  } catch (error) {
    if (!KeepsakeError.isInstance(error)) throw error
    throw usageError(`--keep ${text}: ${error.message.replace('rules[0].', '')}`, { cause: error })
  }
}

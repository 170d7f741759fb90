import type { Context } from '../context.ts'
import { CliError } from '../cli-error.ts'
import { examine, type Finding } from '../examine.ts'
import { formatCount } from '../quantities.ts'
import { safeLine } from '../safe-text.ts'

const STYLES = { ok: 'green', warn: 'yellow', fail: 'red' } as const

/** Checks what Keepsake needs here, one line each, with what to do where something is wrong. */
export async function run(context: Context): Promise<void> {
  const { out } = context
  let failures = 0
  for await (const finding of examine(context)) {
    if (finding.status === 'fail') failures++
    if (out.json) await out.record(finding)
    else await show(context, finding)
  }
  if (failures > 0) throw new CliError('failed', `${formatCount(failures, 'check')} failed.`)
}

async function show({ out }: Context, { status, message, fix }: Finding): Promise<void> {
  await out.line(`${out.style(STYLES[status], status.padEnd(4))}  ${safeLine(message)}`)
  if (fix !== undefined) await out.line(`      → ${safeLine(fix)}`)
}

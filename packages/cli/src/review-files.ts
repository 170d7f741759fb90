import { quarantinedFiles, type Files, type QuarantinedFile } from '@keepsake/files'
import { CliError, notFoundError } from './cli-error.ts'
import type { Context } from './context.ts'
import { safeBlock, safeLine } from './safe-text.ts'

/** Shows the memory files that wait in quarantine; approves or deletes one. */
export async function reviewFiles(
  { out, signal }: Context,
  files: Required<Files>,
  path: string | undefined,
  { approve = false, reject = false }: { approve?: boolean | undefined; reject?: boolean | undefined },
): Promise<void> {
  const waiting: QuarantinedFile[] = []
  for await (const file of quarantinedFiles(files, { signal })) {
    if (path === undefined || file.path === `/${path.replace(/^\/+/, '')}`) waiting.push(file)
  }
  if (path !== undefined && waiting.length === 0) throw notFoundError(`No file ${safeLine(path)} is in quarantine.`)
  if (approve || reject) {
    const { path: at, version: ifVersion } = waiting[0]!
    const done = approve
      ? await files.approve(at, { ifVersion, signal })
      : await files.delete(at, { ifVersion, signal })
    if (!done.ok) throw new CliError('failed', `${safeLine(at)} was not changed: ${done.message}. Look at it again.`)
    const status = approve ? 'approved' : 'rejected'
    if (out.json) await out.record({ path: at, status })
    else await out.line(`${safeLine(at)} is ${status}.`)
    return
  }
  for (const { path: at, content, sources } of waiting) {
    if (out.json) await out.record({ path: at, content, sources })
    else {
      await out.line(safeLine(at))
      await out.line(`  from ${sources.map((source) => safeLine(source)).join(', ')}`)
      for (const line of safeBlock(content).trimEnd().split('\n')) await out.line(`  | ${line}`)
    }
  }
  if (waiting.length === 0) out.note('No file is in quarantine.')
}

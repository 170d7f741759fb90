import { changedSince } from './failures.ts'
import { markable } from './file-sources.ts'
import type { ChangeOptions, Files, Result } from './files.ts'

/** How often a change is made anew where others keep writing the file. */
const MAX_TRIES = 200

/**
 * Replaces a file by what `change` makes of its text (empty if there is none), again on the fresh text where another write
 * came between: nobody's is lost.
 */
export async function changeFile(
  files: Files,
  path: string,
  change: (text: string) => Result<string>,
  options: Pick<ChangeOptions, 'signal' | 'sources'>,
): Promise<Result<{ version: string }>> {
  const refused = markable(files, path, options.sources)
  if (refused !== undefined) return refused
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const file = await files.read(path, options)
    if (!file.ok && file.code !== 'not_found') return file
    const changed = change(file.ok ? file.value.content : '')
    if (!changed.ok) return changed
    const written = await files.write(path, changed.value, {
      ...options,
      ifVersion: file.ok ? file.value.version : null,
    })
    if (written.ok || (written.code !== 'conflict' && written.code !== 'exists')) return written
  }
  return changedSince()
}

import type { CallOptions } from '@keepsake/core'
import type { Files } from './files.ts'

/** A file that waits for somebody's approval. */
export interface QuarantinedFile {
  path: string
  content: string
  /** For `approve`, or `delete`. */
  version: string
  /** What it was derived from; those that are not trusted begin with `untrusted:`. */
  sources: string[]
}

/**
 * The text files that were derived from untrusted content and wait for approval (`files.approve`), in the order of paths.
 * Reads every file.
 */
export async function* quarantinedFiles(files: Files, options: CallOptions = {}): AsyncGenerator<QuarantinedFile> {
  const found = await files.glob('**', options)
  for (const { path } of found.ok ? found.value : []) {
    const file = await files.read(path, options)
    if (!file.ok || file.value.quarantined !== true) continue
    const { content, version, sources = [] } = file.value
    yield { path, content, version, sources }
  }
}

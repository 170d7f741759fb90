import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

/** Fresh folders of a test file, removed when it is done. */
export function temporaryFolders(): () => string {
  const base = mkdtempSync(join(tmpdir(), 'keepsake-files-'))
  afterAll(() => rmSync(base, { recursive: true, force: true }))
  return () => mkdtempSync(join(base, 'f-'))
}

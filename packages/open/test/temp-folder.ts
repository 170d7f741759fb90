import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** An empty folder for the test that is running, gone when it ends. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-open-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

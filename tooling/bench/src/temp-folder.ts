import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface TempFolder extends Disposable {
  file(name: string): string
}

/** A folder for files of one benchmark, removed with it: `using folder = tempFolder()`. */
export function tempFolder(): TempFolder {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-bench-'))
  return {
    file: (name) => join(folder, name),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}

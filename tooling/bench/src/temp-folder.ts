import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder for files of one benchmark, removed with it: `using folder = tempFolder()`. */
export function tempFolder(): Disposable & { file(name: string): string } {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-bench-'))
  return {
    file: (name) => join(folder, name),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Runs a program of `programs/` in a process of its own, and returns what it printed. Rejects if it fails. */
export async function runProgram(name: string, ...args: readonly (string | number)[]): Promise<string> {
  const file = join(import.meta.dirname, 'programs', `${name}.ts`)
  const { stdout } = await promisify(execFile)(process.execPath, [file, ...args.map(String)])
  return stdout
}

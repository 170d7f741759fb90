import { execFile } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

/** Where Debian keeps servers that are not for everybody's PATH. */
const SERVER_FOLDERS = ['/usr/sbin', '/usr/local/sbin']

/** The path of the first of these programs that is on this machine. */
export function findProgram(...names: readonly string[]): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...SERVER_FOLDERS, ...postgresFolders()]
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path))
}

/** The same, for a program that must be there. */
export function needProgram(...names: readonly string[]): string {
  const path = findProgram(...names)
  if (path === undefined) throw new Error(`The program ${names.join(' or ')} is not on this machine.`)
  return path
}

/** Debian keeps each version of PostgreSQL in a folder of its own. */
function postgresFolders(): string[] {
  return newestFirst(globSync('/usr/lib/postgresql/*/bin'))
}

/** Paths with a number in them, the largest first: 15 is newer than 9. */
export function newestFirst(paths: readonly string[]): string[] {
  return paths.toSorted((a, b) => numberIn(b) - numberIn(a))
}

function numberIn(path: string): number {
  return Number(/\d+(\.\d+)?/.exec(path)?.[0] ?? 0)
}

/** What a program printed; rejects with what it printed as errors if it failed. */
export async function outputOf(program: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const { stdout } = await promisify(execFile)(program, args, { ...options, encoding: 'utf8' })
  return stdout.trim()
}

export interface RunOptions {
  cwd?: string
  uid?: number
  gid?: number
  timeout?: number
}

/** The same, or `undefined` where the program is missing, fails, or takes longer than some seconds. */
export async function outputIfAny(program: string | undefined, args: readonly string[]): Promise<string | undefined> {
  if (program === undefined) return undefined
  return await outputOf(program, args, { timeout: 3000 }).catch(() => undefined)
}

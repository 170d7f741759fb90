import { homedir } from 'node:os'
import { repoRoot } from './workspace.ts'

/** Folders of a person or of one machine. What follows must be a name, so that a URL's `/home` is none. */
const PATTERNS: readonly RegExp[] = [
  /(?<![\w.~-])\/(?:home|Users)\/[\w.-]+/g,
  /(?<![\w.~-])\/(?:root|tmp|var\/folders)\/[\w.-]+/g,
  /\b[A-Z]:\\Users\\\w+/g,
  /file:\/\/\/(?:home|Users|root|tmp)\b/g,
]

/** Absolute paths in a text that mean something on one machine only: its home folders and this checkout. */
export function machinePaths(text: string): string[] {
  const here = [repoRoot.replace(/\/$/, ''), homedir()].filter((path) => path.length > 5 && text.includes(path))
  return [...new Set([...here, ...PATTERNS.flatMap((pattern) => text.match(pattern) ?? [])])]
}

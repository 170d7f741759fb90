import { describeType, KeepsakeError } from '@keepsake/core'
import type { Files } from './files.ts'

/** Throws `invalid_value` for what is no file system: a promise of one, or nothing, most often. */
export function checkFiles(files: Files, what: string): Files {
  if (typeof files?.read === 'function') return files
  throw new KeepsakeError(
    'invalid_value',
    `${what} must be Files, such as rowFiles(store, owner); it is ${describeType(files)}.`,
  )
}

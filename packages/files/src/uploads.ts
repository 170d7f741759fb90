import { describeType, KeepsakeError } from '@keepsake/core'
import { checkVersion } from './check-version.ts'
import { MAX_FILE_BYTES } from './files.ts'

/** A file to be written whole. */
export interface Upload {
  path: string
  bytes: Uint8Array
  ifVersion?: string | null
}

/**
 * Uploads, checked and copied: the caller may use its arrays again before the last of them is written. Throws
 * `invalid_value` before anything is written.
 */
export function copyUploads(files: readonly Upload[]): Upload[] {
  return [...files].map((file, index) => {
    const { path, bytes, ifVersion } = file ?? {}
    if (!(bytes instanceof Uint8Array)) {
      const shown = describeType(bytes)
      throw new KeepsakeError('invalid_value', `files[${index}].bytes must be a Uint8Array; it is ${shown}.`)
    }
    checkVersion(ifVersion)
    // What is too large is refused, and need not be copied for that.
    const copy = bytes.length > MAX_FILE_BYTES ? bytes : new Uint8Array(bytes)
    return { path, bytes: copy, ...(ifVersion !== undefined && { ifVersion }) }
  })
}

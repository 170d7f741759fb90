import { describeType, KeepsakeError } from '@keepsake/core'

/** Throws `invalid_value` for what is neither a version, `null` nor left out. */
export function checkVersion(version: unknown): void {
  if (version === undefined || version === null || typeof version === 'string') return
  throw new KeepsakeError(
    'invalid_value',
    `ifVersion must be a version that was read, or null for "only if there is none"; it is ${describeType(version)}.`,
  )
}

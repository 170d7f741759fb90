import { describeType, KeepsakeError } from '@keepsake/core'

/**
 * An id as one segment of a path, such as the name of a user's directory: it must be of the form `[A-Za-z0-9_-]+`, so
 * that no id leads anywhere else and no two ids meet on a disk that folds more than case. Throws `invalid_key`, naming
 * the value.
 *
 * ```ts
 * localFiles({ root: `memory/${pathSegment(userId)}` })
 * ```
 */
export function pathSegment(id: string): string {
  if (typeof id === 'string' && /^[A-Za-z0-9_-]+$/.test(id)) return id
  const shown = typeof id === 'string' ? JSON.stringify(id.slice(0, 100)) : describeType(id)
  throw new KeepsakeError(
    'invalid_key',
    `${shown} cannot be a path segment: use letters, digits, "_" and "-" only, at least one of them.`,
    typeof id === 'string' ? { details: { value: id.slice(0, 100).toWellFormed() } } : {},
  )
}

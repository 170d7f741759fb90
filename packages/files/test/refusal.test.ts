import { KeepsakeError } from '@keepsake/core'
import { describe, expect, it } from 'vitest'
import type { Verb } from '../src/failures.ts'
import { settle } from '../src/local/refusal.ts'

const failing = (verb: Verb, code?: string) =>
  settle(verb, '/notes/a.md', async () => {
    throw Object.assign(new Error('from the disk'), { code })
  })

describe('what a disk says', () => {
  it.for([
    ['reading', 'ENOENT', 'not_found', 'file not found'],
    ['reading', 'ENOTDIR', 'not_found', 'file not found'],
    ['editing', 'ENOTDIR', 'not_found', 'file not found'],
    ['writing', 'ENOTDIR', 'exists', '/notes/a.md is below a file, where nothing can be kept'],
    ['writing', 'EISDIR', 'is_directory', '/notes/a.md is a directory'],
    ['reading', 'EACCES', 'permission_denied', 'Permission denied reading /notes/a.md'],
    ['writing', 'EPERM', 'permission_denied', 'Permission denied writing /notes/a.md'],
    ['editing', 'EROFS', 'permission_denied', 'Permission denied editing /notes/a.md'],
    ['deleting', 'EACCES', 'permission_denied', 'Permission denied deleting /notes/a.md'],
    ['reading', 'ELOOP', 'invalid_path', 'invalid_path: the path goes through a link that cannot be followed'],
    ['writing', 'ENAMETOOLONG', 'invalid_path', 'invalid_path: the disk does not take such a name'],
    ['writing', 'EINVAL', 'invalid_path', 'invalid_path: the disk does not take such a name'],
    ['reading', 'ENXIO', 'invalid_path', 'invalid_path: there is something that is neither a file nor a directory'],
  ] as const)('%s: %s is the value %s', async ([verb, errno, code, message]) => {
    expect(await failing(verb, errno)).toEqual({ ok: false, code, message })
  })

  it.for([['ENOSPC'], ['EIO'], ['EMFILE'], [undefined]])('%s is thrown', async ([errno]) => {
    const error: unknown = await failing('writing', errno).then(
      () => undefined,
      (reason: unknown) => reason,
    )
    expect(KeepsakeError.isInstance(error, 'unavailable')).toBe(true)
    const { message, retryable, details, cause } = error as KeepsakeError
    expect(message.startsWith(`Writing /notes/a.md failed on disk with ${errno ?? 'an unknown error'}.`)).toBe(true)
    expect({ retryable, details, cause }).toEqual({
      retryable: true,
      details: { path: '/notes/a.md', ...(errno !== undefined && { code: errno }) },
      cause: expect.objectContaining({ message: 'from the disk' }),
    })
  })
})

import { KeepsakeError, type CallOptions } from '@keepsake/core'
import { RESERVED_PREFIX } from '@keepsake/files/tree'
import type { S3Objects } from './s3-objects.ts'

/** No object has it: an ETag is an MD5, or longer. */
const OTHER_ETAG = '"00000000000000000000000000000000"'

/**
 * Finds out, on an object of its own, whether a server keeps the conditions of writes; many answer as if they did. Throws
 * `unsupported`, naming what was ignored.
 */
export async function probeConditions(
  objects: S3Objects,
  root: string,
  id: string,
  options: CallOptions,
): Promise<void> {
  const key = `${root}${RESERVED_PREFIX}probe-${id}`
  const body = new Uint8Array()
  const put = (condition: { ifMatch?: string; ifNoneMatch?: '*' }) => objects.put(key, body, {}, condition, options)
  let etag: string | undefined
  try {
    etag = await put({ ifNoneMatch: '*' })
    if (etag === undefined) throw ignored('refuses If-None-Match where there is no object')
    if ((await put({ ifNoneMatch: '*' })) !== undefined) throw ignored('ignores If-None-Match of a write')
    if ((await put({ ifMatch: OTHER_ETAG })) !== undefined) throw ignored('ignores If-Match of a write')
    if (await objects.delete(key, { ifMatch: OTHER_ETAG }, options)) throw ignored('ignores If-Match of a delete')
    if ((await put({ ifMatch: etag })) === undefined) throw ignored('refuses a write with If-Match and the right ETag')
  } catch (error) {
    // Conditions that a server does not know are "not implemented".
    if (KeepsakeError.isInstance(error) && error.details['status'] === 501) throw ignored('does not know conditions')
    throw error
  } finally {
    if (etag !== undefined) await objects.delete(key, {}, {})
  }
}

function ignored(how: string): KeepsakeError {
  return new KeepsakeError(
    'unsupported',
    `The server ${how}, so edits of several writers would be lost. Use one that keeps conditions of writes, or, where there is only one writer, conditionalWrites: false.`,
  )
}

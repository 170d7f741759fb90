import { S3Client } from '@aws-sdk/client-s3'
import { describeType, KeepsakeError, systemClock, utf8Length, type CallOptions, type Clock } from '@keepsake/core'
import type { Files } from '@keepsake/files'
import { filesOver, parsePath } from '@keepsake/files/tree'
import { probeConditions } from './probe-conditions.ts'
import { s3Objects } from './s3-objects.ts'
import { s3Tree } from './s3-tree.ts'

export interface S3FilesOptions extends CallOptions {
  /** It must exist. */
  bucket: string
  /** The directory of the bucket that is the root: `users/ada`. Left out: the whole bucket. At most 512 bytes. */
  prefix?: string
  /** Of a server other than AWS: `http://127.0.0.1:9000`. The bucket is then named by path. Not with `client`. */
  endpoint?: string
  /** Ready to use, and never closed here. Default: one with the settings of the environment. */
  client?: S3Client
  /**
   * Whether the server keeps conditions of writes (`If-Match`, `If-None-Match`). Left out, it is tried at opening, with
   * four requests for an object that is removed again, and a server that does not is refused. `true`: it is known to, and
   * opening asks nothing. `false`: conditions are not sent. Then of two writers at the same moment, in different
   * processes, one can lose its write without a word: be the only one.
   */
  conditionalWrites?: boolean
  /** Default: the process's. */
  clock?: Pick<Clock, 'newId'>
}

/**
 * Memory files in an S3 bucket, each an object that anybody can look at: its key is the prefix and the path, its body the
 * file. What other programs write is seen as another version.
 *
 * An ETag repeats when content does, so a version is the ETag together with an id of the write, which the object carries
 * as metadata beside the ids of its last 16 named changes. Writes are conditional on the ETag, and made again on the fresh
 * object where they lose; one whose answer was lost is recognised by its id. What remains: two writes within the moment
 * between our look and our write that together restore the same bytes go unnoticed; no text is lost by that.
 *
 * Directories are where files lie, and vanish with the last one. A read is one request, an edit two, a write of a file
 * that is there two, of a new one three and one for each of its directories; `ls` two for every 1,000 entries; `glob` and
 * `grep` list everything below the directory in which they look.
 *
 * Throws `invalid_value` for options of a wrong type, `unsupported` for a server that ignores conditions, `not_provisioned`
 * where there is no such bucket, `unavailable` where the server cannot be reached.
 *
 * ```ts
 * const files = await s3Files({ bucket: 'agents', prefix: `users/${pathSegment(userId)}` })
 * ```
 */
export async function s3Files(options: S3FilesOptions): Promise<Required<Files>> {
  const { bucket, prefix = '', endpoint, conditionalWrites, clock = systemClock(), signal } = options
  const client = checkOptions(options) ?? newClient(endpoint)
  const objects = s3Objects(client, bucket)
  const root = toRoot(prefix)
  if (conditionalWrites === undefined) await probeConditions(objects, root, clock.newId(), { signal })
  return filesOver(s3Tree({ objects, root, clock, isConditional: conditionalWrites !== false }))
}

/** Other servers know neither buckets as host names nor the newest checksums. */
function newClient(endpoint: string | undefined): S3Client {
  if (endpoint === undefined) return new S3Client({})
  return new S3Client({
    endpoint,
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
}

const MAX_PREFIX_BYTES = 512

function toRoot(prefix: string): string {
  const parsed = parsePath(prefix)
  if (!parsed.ok) throw invalid(`prefix cannot be used (${parsed.message}).`)
  if (utf8Length(prefix) > MAX_PREFIX_BYTES) throw invalid(`prefix may have ${MAX_PREFIX_BYTES} bytes.`)
  const { segments } = parsed.value
  return segments.length === 0 ? '' : `${segments.join('/')}/`
}

function checkOptions({ bucket, prefix, endpoint, client, conditionalWrites }: S3FilesOptions): S3Client | undefined {
  if (typeof bucket !== 'string' || bucket === '') throw wrongType('bucket', 'the name of a bucket', bucket)
  if (prefix !== undefined && typeof prefix !== 'string') throw wrongType('prefix', 'a text', prefix)
  if (endpoint !== undefined && (typeof endpoint !== 'string' || !URL.canParse(endpoint))) {
    throw wrongType('endpoint', 'a URL', endpoint)
  }
  if (client !== undefined && typeof client?.send !== 'function') throw wrongType('client', 'an S3Client', client)
  if (client !== undefined && endpoint !== undefined) {
    throw invalid('endpoint has no meaning with a client of your own: give it to the client.')
  }
  if (conditionalWrites !== undefined && typeof conditionalWrites !== 'boolean') {
    throw wrongType('conditionalWrites', 'true, false or left out', conditionalWrites)
  }
  return client
}

function wrongType(what: string, wanted: string, value: unknown): KeepsakeError {
  const shown = typeof value === 'string' ? JSON.stringify(value.slice(0, 100)) : describeType(value)
  return invalid(`${what} must be ${wanted}; it is ${shown}.`)
}

function invalid(message: string): KeepsakeError {
  return new KeepsakeError('invalid_value', message)
}

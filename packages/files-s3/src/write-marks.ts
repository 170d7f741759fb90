import type { S3Head } from './s3-objects.ts'

/** What an object says of its writes, as metadata. */
export interface WriteMarks {
  /** Of the last write; left out where another program wrote it. */
  writeId?: string
  /** The last changes that had names, newest first. */
  operations: readonly string[]
}

const WRITE = 'keepsake-write'
const OPERATIONS = 'keepsake-operations'
const MAX_OPERATIONS = 16

export function marksOf({ metadata }: Pick<S3Head, 'metadata'>): WriteMarks {
  const writeId = metadata[WRITE]
  const operations = metadata[OPERATIONS]?.split(' ').filter((id) => id !== '') ?? []
  return { ...(writeId !== undefined && { writeId }), operations }
}

/** The metadata of the next write: of 2 KiB that S3 allows, less than 500 bytes. */
export function nextMarks(
  writeId: string,
  opId: string | undefined,
  { operations }: WriteMarks = { operations: [] },
): Record<string, string> {
  const all = (opId === undefined ? operations : [opId, ...operations]).slice(0, MAX_OPERATIONS)
  return { [WRITE]: writeId, ...(all.length > 0 && { [OPERATIONS]: all.join(' ') }) }
}

/** ETags repeat when content does; the id of the write does not, and is missing where another program wrote. */
export function versionOf(head: Pick<S3Head, 'etag' | 'metadata'>): string {
  const { writeId } = marksOf(head)
  const etag = head.etag.replaceAll('"', '')
  return writeId === undefined ? etag : `${etag}.${writeId}`
}

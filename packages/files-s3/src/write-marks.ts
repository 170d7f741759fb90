import type { TreeChangeOptions } from '@keepsake/files/tree'
import type { S3Head } from './s3-objects.ts'

/** What an object says of its writes, as metadata. */
export interface WriteMarks {
  /** Of the last write; left out where another program wrote it. */
  writeId?: string
  /** The last changes that had names, newest first. */
  operations: readonly string[]
  /** What the file was derived from. */
  sources: readonly string[]
}

const WRITE = 'keepsake-write'
const OPERATIONS = 'keepsake-operations'
const SOURCES = 'keepsake-sources'
const MAX_OPERATIONS = 16

export function marksOf({ metadata }: Pick<S3Head, 'metadata'>): WriteMarks {
  const writeId = metadata[WRITE]
  const sources = list(metadata[SOURCES]).map(decodeURIComponent)
  return { ...(writeId !== undefined && { writeId }), operations: list(metadata[OPERATIONS]), sources }
}

/** The metadata of the next write: of 2 KiB that S3 allows, less than 500 bytes, and 1,000 for what the file came from. */
export function nextMarks(
  writeId: string,
  { opId, sources: change }: Pick<TreeChangeOptions, 'opId' | 'sources'>,
  { operations, sources: before }: WriteMarks = { operations: [], sources: [] },
): Record<string, string> {
  const all = (opId === undefined ? operations : [opId, ...operations]).slice(0, MAX_OPERATIONS)
  const sources = change === undefined ? before : change(before)
  return {
    [WRITE]: writeId,
    ...(all.length > 0 && { [OPERATIONS]: all.join(' ') }),
    ...(sources.length > 0 && { [SOURCES]: sources.map(encodeURIComponent).join(' ') }),
  }
}

/** ETags repeat when content does; the id of the write does not, and is missing where another program wrote. */
export function versionOf(head: Pick<S3Head, 'etag' | 'metadata'>): string {
  const { writeId } = marksOf(head)
  const etag = head.etag.replaceAll('"', '')
  return writeId === undefined ? etag : `${etag}.${writeId}`
}

function list(text = ''): string[] {
  return text.split(' ').filter((item) => item !== '')
}

import { KeepsakeError } from '@keepsake/core'

/** Changes when what is stored of a document does: an index of another format is built anew. */
export const SEARCH_FORMAT = 1

/** The tables of an index where no other name is given begin with it. */
export const DEFAULT_SEARCH_TABLE = 'keepsake_search'

/** Throws `unsupported` for the tables of another version of this package. */
export function checkSearchFormat(format: unknown, where: string, table: string): void {
  if (Number(format) === SEARCH_FORMAT) return
  throw new KeepsakeError(
    'unsupported',
    `The search index ${table} of ${where} has format ${Number(format)}; this version of @keepsake/store-sql has ${SEARCH_FORMAT}. Take it away with provision({ down: true }), make it with provision() and fill it with \`keepsake reindex\`.`,
    { details: { format: Number(format), supported: SEARCH_FORMAT } },
  )
}

export function noSearchIndex(where: string, table: string, cause?: unknown): KeepsakeError {
  return new KeepsakeError('not_provisioned', `${where} has no search index ${table}. Call provision() on the index.`, {
    cause,
  })
}

import type { CollectionReference, Query } from '@google-cloud/firestore'
import { compareUtf8, prefixEnd, type Range } from '@keepsake/core'

/**
 * Documents whose text in `field` is in the range, ordered by it, or `undefined` if nothing can be. Firestore orders texts
 * by their bytes in UTF-8 (https://cloud.google.com/firestore/docs/concepts/data-types).
 */
export function rangeQuery(
  collection: CollectionReference,
  field: string,
  { prefix = '', after, limit }: Range,
): Query | undefined {
  const end = prefix === '' ? undefined : prefixEnd(prefix)
  if (after !== undefined && end !== undefined && compareUtf8(after, end) >= 0) return undefined
  let query = collection.orderBy(field)
  if (after !== undefined && compareUtf8(after, prefix) >= 0) query = query.startAfter(after)
  else if (prefix !== '') query = query.startAt(prefix)
  if (end !== undefined) query = query.endBefore(end)
  return query.limit(limit)
}

import type { Entry, Key, Records, SearchOptions } from '@keepsake/core'

/**
 * The `limit` records that have most to do with a text, but those in quarantine: what came from untrusted content waits for
 * somebody's approval. One search, and a further page where some of a page were left out.
 */
export async function searchApproved<T>(
  records: Records<T>,
  prefix: Key,
  text: string,
  options: SearchOptions & { limit: number },
): Promise<Entry<T>[]> {
  const found: Entry<T>[] = []
  for (let cursor: string | undefined; ;) {
    const page = await records.search(prefix, text, { ...options, ...(cursor !== undefined && { cursor }) })
    const approved = page.items.filter(({ quarantined }) => quarantined !== true)
    found.push(...approved)
    cursor = page.cursor
    const isWhole = approved.length === page.items.length
    if (isWhole || cursor === undefined || found.length >= options.limit) return found.slice(0, options.limit)
  }
}

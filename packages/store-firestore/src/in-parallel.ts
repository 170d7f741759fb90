/**
 * Does something for each item, at most `lanes` at a time, and returns the answers in the order of the items. After a
 * failure nothing more is begun; it rejects once all that had begun has ended.
 */
export async function inParallel<T, R>(
  items: readonly T[],
  lanes: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = Array.from({ length: items.length })
  const waiting = items.entries()
  let failed = false

  async function lane(): Promise<void> {
    for (const [index, item] of waiting) {
      if (failed) return
      try {
        results[index] = await work(item)
      } catch (error) {
        failed = true
        throw error
      }
    }
  }

  const ended = await Promise.allSettled(Array.from({ length: Math.min(lanes, items.length) }, lane))
  for (const end of ended) if (end.status === 'rejected') throw end.reason
  return results
}

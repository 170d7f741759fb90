/**
 * Does something for each item, at most `lanes` at a time, those with the same key one after the other, and returns the
 * answers in the order of the items. After a failure nothing more is begun; it rejects once all that had begun has ended.
 */
export async function sideBySide<T, R>(
  items: readonly T[],
  keyOf: (item: T) => string,
  lanes: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = Array.from({ length: items.length })
  const groups = Map.groupBy(items.keys(), (index) => keyOf(items[index]!)).values()
  let failed = false

  async function lane(): Promise<void> {
    for (const indexes of groups) {
      for (const index of indexes) {
        if (failed) return
        results[index] = await work(items[index]!)
      }
    }
  }

  async function failingLane(): Promise<void> {
    try {
      await lane()
    } catch (error) {
      failed = true
      throw error
    }
  }

  const ended = await Promise.allSettled(Array.from({ length: Math.min(lanes, items.length) }, failingLane))
  for (const end of ended) if (end.status === 'rejected') throw end.reason
  return results
}

/** So many entities are asked or written at a time. */
const LANES = 32

/**
 * Does something for each entity in a list, side by side, and puts the answers back into the list's order. After a failure
 * nothing more is begun; it rejects once all that had begun has ended.
 */
export async function byEntity<T extends { entity: string }, R>(
  items: readonly T[],
  work: (entity: string, items: T[]) => Promise<R[]>,
): Promise<R[]> {
  const results: R[] = Array.from({ length: items.length })
  const groups = Map.groupBy(items.keys(), (index) => items[index]!.entity)
  const entries = groups.entries()
  let failed = false

  async function lane(): Promise<void> {
    for (const [entity, indexes] of entries) {
      if (failed) return
      try {
        const answers = await work(
          entity,
          indexes.map((index) => items[index]!),
        )
        for (const [at, index] of indexes.entries()) results[index] = answers[at]!
      } catch (error) {
        failed = true
        throw error
      }
    }
  }

  const ended = await Promise.allSettled(Array.from({ length: Math.min(LANES, groups.size) }, lane))
  for (const end of ended) if (end.status === 'rejected') throw end.reason
  return results
}

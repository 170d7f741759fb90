/** So many entities are asked or written at a time. */
const LANES = 32

/** Does something for each entity in a list, side by side, and puts the answers back into the list's order. */
export function byEntity<T extends { entity: string }, R>(
  items: readonly T[],
  work: (entity: string, items: readonly T[]) => Promise<R[]>,
): Promise<R[]> {
  const [first] = items
  if (first === undefined) return Promise.resolve([])
  if (items.every(({ entity }) => entity === first.entity)) return work(first.entity, items)
  return byEntities(items, work)
}

async function byEntities<T extends { entity: string }, R>(
  items: readonly T[],
  work: (entity: string, items: readonly T[]) => Promise<R[]>,
): Promise<R[]> {
  const results: R[] = Array.from({ length: items.length })
  const groups = Map.groupBy(items.keys(), (index) => items[index]!.entity)
  await sideBySide(Array.from(groups), async ([entity, indexes]) => {
    const answers = await work(
      entity,
      indexes.map((index) => items[index]!),
    )
    for (const [at, index] of indexes.entries()) results[index] = answers[at]!
  })
  return results
}

/**
 * Does something for each item, some at a time. After a failure nothing more is begun; it rejects once all that had begun
 * has ended.
 */
export async function sideBySide<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values()
  let failed = false

  async function lane(): Promise<void> {
    for (const item of left) {
      if (failed) return
      try {
        await work(item)
      } catch (error) {
        failed = true
        throw error
      }
    }
  }

  const ended = await Promise.allSettled(Array.from({ length: Math.min(LANES, items.length) }, lane))
  for (const end of ended) if (end.status === 'rejected') throw end.reason
}

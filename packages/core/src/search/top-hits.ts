import { compareUtf8 } from '../rows/utf8.ts'

export interface ScoredId {
  id: string
  score: number
}

/** Keeps the best `limit` of what it is shown: a heap whose root is the worst that is kept. */
export interface TopHits {
  /** What a score must exceed, or equal, to be among the best. */
  least(): number
  add(id: string, score: number): void
  /** The best first, those of equal scores by id. */
  sorted(): ScoredId[]
}

export function createTopHits(limit: number): TopHits {
  const heap: ScoredId[] = []

  function sink(from: number): void {
    for (let at = from; ;) {
      let worst = at
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < heap.length && byRank(heap[child]!, heap[worst]!) > 0) worst = child
      }
      if (worst === at) return
      ;[heap[at], heap[worst]] = [heap[worst]!, heap[at]!]
      at = worst
    }
  }

  return {
    least: () => (heap.length < limit ? 0 : heap[0]!.score),
    add(id, score) {
      const hit = { id, score }
      if (heap.length < limit) {
        heap.push(hit)
        if (heap.length === limit) for (let at = limit >> 1; at >= 0; at--) sink(at)
      } else if (byRank(hit, heap[0]!) < 0) {
        heap[0] = hit
        sink(0)
      }
    },
    sorted: () => heap.toSorted(byRank),
  }
}

/** The better of two hits first. */
export function byRank(a: ScoredId, b: ScoredId): number {
  return b.score - a.score || compareUtf8(a.id, b.id)
}

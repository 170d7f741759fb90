import { compareUtf8 } from './utf8.ts'

const CHUNK = 512

/**
 * An ordered set of strings, by UTF-8 bytes. Kept in chunks of at most 512, so that adding to a set of any size moves
 * little: a thread grows at its front, and a plain array would shift everything behind it.
 */
export interface SortedStrings {
  readonly size: number
  add(text: string): void
  delete(text: string): void
  /** In order, those after `after` (exclusive) or from `from` (inclusive), whichever is later. */
  from(from: string, after: string | undefined): IterableIterator<string>
}

export function sortedStrings(): SortedStrings {
  const chunks: string[][] = []
  let size = 0

  /** The chunk in which `text` stands or would stand: the first whose last item is not before it. */
  function chunkOf(text: string): number {
    let low = 0
    let high = chunks.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (compareUtf8(chunks[middle]!.at(-1)!, text) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  return {
    get size() {
      return size
    },
    add(text) {
      if (chunks.length === 0) {
        chunks.push([text])
        size = 1
        return
      }
      const index = Math.min(chunkOf(text), chunks.length - 1)
      const chunk = chunks[index]!
      const at = position(chunk, text)
      if (chunk[at] === text) return
      chunk.splice(at, 0, text)
      size++
      if (chunk.length > CHUNK) chunks.splice(index + 1, 0, chunk.splice(CHUNK / 2))
    },
    delete(text) {
      const index = chunkOf(text)
      const chunk = chunks[index]
      if (chunk === undefined) return
      const at = position(chunk, text)
      if (chunk[at] !== text) return
      chunk.splice(at, 1)
      size--
      if (chunk.length === 0) chunks.splice(index, 1)
    },
    *from(from, after) {
      const exclusive = after !== undefined && compareUtf8(after, from) >= 0
      const start = exclusive ? after : from
      let index = chunkOf(start)
      if (index >= chunks.length) return
      let at = position(chunks[index]!, start)
      if (exclusive && chunks[index]![at] === start) at++
      for (; index < chunks.length; index++, at = 0) {
        const chunk = chunks[index]!
        for (; at < chunk.length; at++) yield chunk[at]!
      }
    },
  }
}

/** Where `text` stands in a sorted chunk, or would be put. */
function position(chunk: readonly string[], text: string): number {
  let low = 0
  let high = chunk.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareUtf8(chunk[middle]!, text) < 0) low = middle + 1
    else high = middle
  }
  return low
}

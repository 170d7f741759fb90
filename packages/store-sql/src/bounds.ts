import { compareUtf8, prefixEnd, type Range } from '@keepsake/core'

/** The part of the order that a range admits: from `from` and before `end`. */
export interface Bounds {
  from: string
  /** Left out: to the end. */
  end: string | undefined
}

export function boundsOf({ prefix = '', after }: Range): Bounds {
  const from = after !== undefined && compareUtf8(after, prefix) >= 0 ? successor(after) : prefix
  return { from, end: prefix === '' ? undefined : prefixEnd(prefix) }
}

/** The smallest string after `text`, as rows hold no U+0000. */
export function successor(text: string): string {
  return `${text}\u0001`
}

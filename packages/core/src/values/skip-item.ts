import type { Bytes } from '../rows/row-store.ts'

/**
 * Where the CBOR item that begins at `start` ends (RFC 8949, section 3), or `undefined` where there is none or the bytes
 * end within it. Looks at heads only: a text or bytes are passed over whatever their size. Items of indefinite length are
 * not among those that Keepsake writes.
 */
export function skipItem(bytes: Bytes, start: number): number | undefined {
  let at = start
  // Items that are still to be passed: an array brings its elements, a map its keys and values, a tag its content.
  for (let left = 1; left > 0; left--) {
    const head = bytes[at]
    if (head === undefined) return undefined
    const type = head >> 5
    const short = head & 31
    if (short > 27) return undefined
    const width = short < 24 ? 0 : 1 << (short - 24)
    let argument = short < 24 ? short : 0
    for (let i = 1; i <= width; i++) argument = argument * 256 + (bytes[at + i] ?? Infinity)
    at += 1 + width
    if (type === 2 || type === 3) at += argument
    else if (type === 4) left += argument
    else if (type === 5) left += 2 * argument
    else if (type === 6) left += 1
    if (!(at <= bytes.length) || !(left <= bytes.length)) return undefined
  }
  return at
}

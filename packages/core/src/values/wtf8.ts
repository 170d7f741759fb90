import { equalBytes } from '../rows/guard.ts'
import { utf8Length } from '../rows/utf8.ts'

/** Units that are made a string at once: as arguments of one call they have to fit on the stack. */
const CHUNK = 8192

/**
 * Strings with lone surrogates as bytes: WTF-8 (https://simonsapin.github.io/wtf-8/), which is UTF-8 where surrogates
 * that form no pair are encoded like any other code point. A text that was cut inside an emoji is stored as it is.
 */
export function encodeWtf8(text: string): Uint8Array {
  const bytes = new Uint8Array(utf8Length(text))
  let at = 0
  for (let i = 0; i < text.length; i++) {
    const point = text.codePointAt(i)!
    if (point < 0x80) bytes[at++] = point
    else if (point < 0x800) {
      bytes[at++] = 0xc0 | (point >> 6)
      bytes[at++] = continuation(point)
    } else if (point < 0x10000) {
      bytes[at++] = 0xe0 | (point >> 12)
      bytes[at++] = continuation(point >> 6)
      bytes[at++] = continuation(point)
    } else {
      bytes[at++] = 0xf0 | (point >> 18)
      bytes[at++] = continuation(point >> 12)
      bytes[at++] = continuation(point >> 6)
      bytes[at++] = continuation(point)
      // The second half of the pair.
      i++
    }
  }
  return bytes
}

/** The inverse of {@link encodeWtf8}. Throws `TypeError` for bytes that it did not write. */
export function decodeWtf8(bytes: Uint8Array): string {
  const text = readWtf8(bytes)
  const again = encodeWtf8(text)
  if (!equalBytes(again, bytes)) throw new TypeError('not WTF-8')
  return text
}

function readWtf8(bytes: Uint8Array): string {
  const units = new Uint16Array(bytes.length)
  let count = 0
  for (let i = 0; i < bytes.length;) {
    const first = bytes[i]!
    const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
    let point = length === 1 ? first : first & (0x7f >> length)
    for (let j = 1; j < length; j++) point = (point << 6) | (bytes[i + j]! & 0x3f)
    if (point < 0x10000) units[count++] = point
    else {
      units[count++] = 0xd800 | ((point - 0x10000) >> 10)
      units[count++] = 0xdc00 | (point & 0x3ff)
    }
    i += length
  }
  let text = ''
  for (let i = 0; i < count; i += CHUNK) {
    text += String.fromCharCode(...units.subarray(i, Math.min(i + CHUNK, count)))
  }
  return text
}

function continuation(bits: number): number {
  return 0x80 | (bits & 0x3f)
}

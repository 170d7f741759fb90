import { equalBytes } from './guard.ts'

/**
 * Strings with lone surrogates as bytes: WTF-8 (https://simonsapin.github.io/wtf-8/), which is UTF-8 where surrogates
 * that form no pair are encoded like any other code point. A text that was cut inside an emoji is stored as it is.
 */
export function encodeWtf8(text: string): Uint8Array {
  const bytes: number[] = []
  for (const character of text) {
    const point = character.codePointAt(0)!
    if (point < 0x80) bytes.push(point)
    else if (point < 0x800) bytes.push(0xc0 | (point >> 6), continuation(point))
    else if (point < 0x10000) bytes.push(0xe0 | (point >> 12), continuation(point >> 6), continuation(point))
    else bytes.push(0xf0 | (point >> 18), continuation(point >> 12), continuation(point >> 6), continuation(point))
  }
  return Uint8Array.from(bytes)
}

/** The inverse of {@link encodeWtf8}. Throws `TypeError` for bytes that it did not write. */
export function decodeWtf8(bytes: Uint8Array): string {
  const text = readWtf8(bytes)
  const again = encodeWtf8(text)
  if (!equalBytes(again, bytes)) throw new TypeError('not WTF-8')
  return text
}

function readWtf8(bytes: Uint8Array): string {
  let text = ''
  for (let i = 0; i < bytes.length;) {
    const first = bytes[i]!
    const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
    let point = length === 1 ? first : first & (0x7f >> length)
    for (let j = 1; j < length; j++) point = (point << 6) | (bytes[i + j]! & 0x3f)
    text += String.fromCodePoint(point)
    i += length
  }
  return text
}

function continuation(bits: number): number {
  return 0x80 | (bits & 0x3f)
}

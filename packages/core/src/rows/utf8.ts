const SURROGATES = 0xd800

/** Bytes of `text` in UTF-8, without encoding it. A lone surrogate counts 3, as its replacement character would. */
export function utf8Length(text: string): number {
  let bytes = text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) continue
    if (unit < 0x800) bytes += 1
    else if (unit >= 0xd800 && unit <= 0xdbff && isLowSurrogate(text.charCodeAt(i + 1))) {
      bytes += 2
      i++
    } else bytes += 2
  }
  return bytes
}

/**
 * Orders strings by their UTF-8 bytes, which is the order of code points. JavaScript's own order is by UTF-16 units,
 * where U+FF5E comes after U+1F600.
 */
export function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i)
    const right = b.charCodeAt(i)
    if (left === right) continue
    // Surrogates (D800-DFFF) stand for code points above every other unit.
    if (left >= SURROGATES && right >= SURROGATES) return rank(left) - rank(right)
    return left - right
  }
  return a.length - b.length
}

/**
 * The smallest string that comes after every string that begins with `prefix`, or `undefined` if there is none. For
 * backends that take a range: `key >= prefix AND key < prefixEnd(prefix)`.
 */
export function prefixEnd(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0)!)
  while (points.length > 0) {
    const last = points.pop()!
    if (last === 0x10ffff) continue
    const next = last + 1
    // U+D800 to U+DFFF are no characters.
    return String.fromCodePoint(...points, next === SURROGATES ? 0xe000 : next)
  }
  return undefined
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}

function rank(unit: number): number {
  return unit >= 0xe000 ? unit - 0x2000 : unit + 0x2000
}

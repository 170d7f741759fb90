import { Token, Tokenizer, Type } from 'cborg'

type Options = ConstructorParameters<typeof Tokenizer>[1]

const REPLACEMENT = '\uFFFD'
/** Bytes before a text, by what the low bits of its first byte say: RFC 8949, section 3. */
const LENGTH_BYTES = [1, 2, 4, 8]

/**
 * cborg's reader of CBOR items, but for texts: its own takes a byte-order mark away from the front of a text, and puts
 * U+FFFD in the place of bytes that are no UTF-8. Here texts are as they were written, and such bytes throw.
 */
export function exactTokenizer(data: Uint8Array, options: Options): Pick<Tokenizer, 'done' | 'next' | 'pos'> {
  const tokenizer = new Tokenizer(data, options)
  return {
    done: () => tokenizer.done(),
    pos: () => tokenizer.pos(),
    next() {
      const start = tokenizer.pos()
      const token = tokenizer.next()
      return token.type === Type.string ? exact(token, data, start, tokenizer.pos()) : token
    },
  }
}

function exact(token: Token, data: Uint8Array, start: number, end: number): Token {
  const low = data[start]! & 0x1f
  const first = start + 1 + (low < 24 ? 0 : LENGTH_BYTES[low - 24]!)
  const text = token.value as string
  // EF is the first byte of a mark.
  if (data[first] !== 0xef && !text.includes(REPLACEMENT)) return token
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const value = decoder.decode(data.subarray(first, end))
  return value === text ? token : new Token(Type.string, value, token.encodedLength)
}

/**
 * POLYVAL (RFC 8452, section 3): the hash over GF(2^128) of AES-GCM-SIV, by a table of 256 multiples of the hash key.
 * Elements are four little-endian 32-bit words; x^0 is the lowest bit of the first.
 *
 * Like every hash by tables it does not run in constant time: it keeps secrets from who reads the database, not from who
 * measures this process's caches.
 */
export interface Polyval {
  /** Hashes blocks of four words, into `state`. */
  update(state: Int32Array, words: Int32Array): void
}

/** What the lowest eight bits become when an element is divided by x^8; only the highest word is touched. */
const REDUCED = Int32Array.from({ length: 256 }, (_, low) => {
  let bits = low
  let word = 0
  for (let i = 0; i < 8; i++) {
    // Modulo x^128 + x^127 + x^126 + x^121 + 1, x^-1 is x^127 + x^126 + x^125 + x^120.
    word = (word >>> 1) ^ (bits & 1 ? 0xe1000000 : 0)
    bits >>>= 1
  }
  return word
})

/** Makes the table of a hash key of four words: 4 KiB. */
export function polyval(hashKey: Int32Array): Polyval {
  const table = multiplesOf(hashKey)
  return {
    update(state, words) {
      let [w0 = 0, w1 = 0, w2 = 0, w3 = 0] = state
      for (let i = 0; i < words.length; i += 4) {
        const x0 = w0 ^ words[i]!
        const x1 = w1 ^ words[i + 1]!
        const x2 = w2 ^ words[i + 2]!
        const x3 = w3 ^ words[i + 3]!
        w0 = w1 = w2 = w3 = 0
        for (let word = 0; word < 4; word++) {
          const x = word === 0 ? x0 : word === 1 ? x1 : word === 2 ? x2 : x3
          // Horner's rule by bytes, lowest first: add the byte's multiple, then divide by x^8.
          for (let shift = 0; shift < 32; shift += 8) {
            const at = ((x >>> shift) & 255) << 2
            w0 ^= table[at]!
            w1 ^= table[at + 1]!
            w2 ^= table[at + 2]!
            w3 ^= table[at + 3]!
            const reduced = REDUCED[w0 & 255]!
            w0 = (w0 >>> 8) | (w1 << 24)
            w1 = (w1 >>> 8) | (w2 << 24)
            w2 = (w2 >>> 8) | (w3 << 24)
            w3 = (w3 >>> 8) ^ reduced
          }
        }
      }
      state[0] = w0
      state[1] = w1
      state[2] = w2
      state[3] = w3
    },
  }
}

/** The hash key times each polynomial of degree below 8. */
function multiplesOf(hashKey: Int32Array): Int32Array {
  const table = new Int32Array(256 * 4)
  let [h0 = 0, h1 = 0, h2 = 0, h3 = 0] = hashKey
  for (let bit = 1; bit < 256; bit <<= 1) {
    table.set([h0, h1, h2, h3], bit * 4)
    for (let low = 1; low < bit; low++) {
      for (let word = 0; word < 4; word++) {
        table[(bit + low) * 4 + word] = table[bit * 4 + word]! ^ table[low * 4 + word]!
      }
    }
    const carry = h3 >>> 31
    h3 = ((h3 << 1) | (h2 >>> 31)) ^ (carry === 1 ? 0xc2000000 : 0)
    h2 = (h2 << 1) | (h1 >>> 31)
    h1 = (h1 << 1) | (h0 >>> 31)
    h0 = (h0 << 1) ^ carry
  }
  return table
}

/**
 * POLYVAL (RFC 8452, section 3): the hash over GF(2^128) of AES-GCM-SIV. Elements are four little-endian 32-bit words; x^0
 * is the lowest bit of the first.
 *
 * Like every hash by tables it does not run in constant time: it keeps secrets from who reads the database, not from who
 * measures this process's caches.
 */
export interface Polyval {
  /** Hashes blocks of four words, into `state`. */
  update(state: Int32Array, words: Int32Array): void
}

/** Words of an element times a polynomial of degree below 32. */
const WIDTH = 5
/** Words of the multiples by one byte. */
const BYTE = 256 * WIDTH

/** Works out the multiples of a hash key of four words: 20 KiB. */
export function polyval(hashKey: Int32Array): Polyval {
  const t = multiplesOf(hashKey)
  return {
    update(state, words) {
      let [s0 = 0, s1 = 0, s2 = 0, s3 = 0] = state
      for (let i = 0; i < words.length; i += 4) {
        // The product of 256 bits, by the bytes of each word. Written out, for this is most of what encryption costs.
        let x = s0 ^ words[i]!
        let a = (x & 255) * WIDTH
        let b = ((x >>> 8) & 255) * WIDTH + BYTE
        let c = ((x >>> 16) & 255) * WIDTH + 2 * BYTE
        let d = (x >>> 24) * WIDTH + 3 * BYTE
        const p0 = t[a]! ^ t[b]! ^ t[c]! ^ t[d]!
        let p1 = t[a + 1]! ^ t[b + 1]! ^ t[c + 1]! ^ t[d + 1]!
        let p2 = t[a + 2]! ^ t[b + 2]! ^ t[c + 2]! ^ t[d + 2]!
        let p3 = t[a + 3]! ^ t[b + 3]! ^ t[c + 3]! ^ t[d + 3]!
        let p4 = t[a + 4]! ^ t[b + 4]! ^ t[c + 4]! ^ t[d + 4]!

        x = s1 ^ words[i + 1]!
        a = (x & 255) * WIDTH
        b = ((x >>> 8) & 255) * WIDTH + BYTE
        c = ((x >>> 16) & 255) * WIDTH + 2 * BYTE
        d = (x >>> 24) * WIDTH + 3 * BYTE
        p1 ^= t[a]! ^ t[b]! ^ t[c]! ^ t[d]!
        p2 ^= t[a + 1]! ^ t[b + 1]! ^ t[c + 1]! ^ t[d + 1]!
        p3 ^= t[a + 2]! ^ t[b + 2]! ^ t[c + 2]! ^ t[d + 2]!
        p4 ^= t[a + 3]! ^ t[b + 3]! ^ t[c + 3]! ^ t[d + 3]!
        let p5 = t[a + 4]! ^ t[b + 4]! ^ t[c + 4]! ^ t[d + 4]!

        x = s2 ^ words[i + 2]!
        a = (x & 255) * WIDTH
        b = ((x >>> 8) & 255) * WIDTH + BYTE
        c = ((x >>> 16) & 255) * WIDTH + 2 * BYTE
        d = (x >>> 24) * WIDTH + 3 * BYTE
        p2 ^= t[a]! ^ t[b]! ^ t[c]! ^ t[d]!
        p3 ^= t[a + 1]! ^ t[b + 1]! ^ t[c + 1]! ^ t[d + 1]!
        p4 ^= t[a + 2]! ^ t[b + 2]! ^ t[c + 2]! ^ t[d + 2]!
        p5 ^= t[a + 3]! ^ t[b + 3]! ^ t[c + 3]! ^ t[d + 3]!
        let p6 = t[a + 4]! ^ t[b + 4]! ^ t[c + 4]! ^ t[d + 4]!

        x = s3 ^ words[i + 3]!
        a = (x & 255) * WIDTH
        b = ((x >>> 8) & 255) * WIDTH + BYTE
        c = ((x >>> 16) & 255) * WIDTH + 2 * BYTE
        d = (x >>> 24) * WIDTH + 3 * BYTE
        p3 ^= t[a]! ^ t[b]! ^ t[c]! ^ t[d]!
        p4 ^= t[a + 1]! ^ t[b + 1]! ^ t[c + 1]! ^ t[d + 1]!
        p5 ^= t[a + 2]! ^ t[b + 2]! ^ t[c + 2]! ^ t[d + 2]!
        p6 ^= t[a + 3]! ^ t[b + 3]! ^ t[c + 3]! ^ t[d + 3]!
        let p7 = t[a + 4]! ^ t[b + 4]! ^ t[c + 4]! ^ t[d + 4]!

        // Times x^-128: modulo the field's polynomial 1 is x^121 + x^126 + x^127 + x^128, so each low word moves up.
        p3 ^= (p0 << 25) ^ (p0 << 30) ^ (p0 << 31)
        p4 ^= (p0 >>> 7) ^ (p0 >>> 2) ^ (p0 >>> 1) ^ p0 ^ (p1 << 25) ^ (p1 << 30) ^ (p1 << 31)
        p5 ^= (p1 >>> 7) ^ (p1 >>> 2) ^ (p1 >>> 1) ^ p1 ^ (p2 << 25) ^ (p2 << 30) ^ (p2 << 31)
        p6 ^= (p2 >>> 7) ^ (p2 >>> 2) ^ (p2 >>> 1) ^ p2 ^ (p3 << 25) ^ (p3 << 30) ^ (p3 << 31)
        p7 ^= (p3 >>> 7) ^ (p3 >>> 2) ^ (p3 >>> 1) ^ p3
        s0 = p4
        s1 = p5
        s2 = p6
        s3 = p7
      }
      state[0] = s0
      state[1] = s1
      state[2] = s2
      state[3] = s3
    },
  }
}

/** The hash key times each polynomial of degree below 8, in each of the four places that a byte has in a word. */
function multiplesOf(hashKey: Int32Array): Int32Array {
  const table = new Int32Array(4 * BYTE)
  for (let degree = 0; degree < 32; degree++) {
    const place = (degree >> 3) * BYTE
    const power = place + (1 << (degree & 7)) * WIDTH
    for (let word = 0; word < WIDTH; word++) {
      const below = degree === 0 ? 0 : (hashKey[word - 1] ?? 0) >>> (32 - degree)
      table[power + word] = ((hashKey[word] ?? 0) << degree) | below
    }
    // Every sum of this power and lower ones.
    for (let low = place + WIDTH; low < power; low++)
      table[power + low - place] = table[power + ((low - place) % WIDTH)]! ^ table[low]!
  }
  return table
}

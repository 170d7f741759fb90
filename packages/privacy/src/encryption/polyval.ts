import { BLOCKS_AT, MAX_BLOCK_BYTES, polyvalModule, STATE_AT, TABLE_AT, TABLE_BYTES } from './polyval-module.ts'

/**
 * POLYVAL (RFC 8452, section 3): the hash over GF(2^128) of AES-GCM-SIV. Elements are 16 bytes, four little-endian 32-bit
 * words; x^0 is the lowest bit of the first.
 *
 * Like every hash by tables it does not run in constant time: it keeps secrets from who reads the database, not from who
 * measures this process's caches.
 */
export interface Polyval {
  /** Hashes one part after the other, each filled up with zeros to blocks of 16 bytes. */
  hash(this: void, parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer>
}

const { memory, hash } = polyvalModule()
const bytes = new Uint8Array(memory.buffer)
/** Whose table is in the memory. */
let loaded: Uint8Array | undefined

/** Works out the multiples of a hash key of 16 bytes: 8 KiB. */
export function polyval(hashKey: Uint8Array): Polyval {
  const table = multiplesOf(hashKey)
  return {
    hash(parts) {
      if (loaded !== table) bytes.set(table, TABLE_AT)
      loaded = table
      bytes.fill(0, STATE_AT, TABLE_AT)
      for (const part of parts)
        for (let at = 0; at < part.length; at += MAX_BLOCK_BYTES) {
          const blocks = part.subarray(at, at + MAX_BLOCK_BYTES)
          bytes.set(blocks, BLOCKS_AT)
          bytes.fill(0, BLOCKS_AT + blocks.length, BLOCKS_AT + blocks.length + 15)
          hash(0, blocks.length)
        }
      return bytes.slice(STATE_AT, TABLE_AT)
    },
  }
}

/** The product (with x^-128, as POLYVAL has it) of the hash key and each value of each digit of 4 bits. */
function multiplesOf(hashKey: Uint8Array): Uint8Array {
  const table = new Uint8Array(TABLE_BYTES)
  const words = new Int32Array(table.buffer)
  let [w0, w1, w2, w3] = new Int32Array(hashKey.slice().buffer) as unknown as [number, number, number, number]
  for (let bit = 127; bit >= 0; bit--) {
    // Times x^-1, which is x^127 + x^126 + x^125 + x^120. So bit 127 times x^-128 is the first, bit 126 the next.
    const carry = -(w0 & 1)
    w0 = (w0 >>> 1) | (w1 << 31)
    w1 = (w1 >>> 1) | (w2 << 31)
    w2 = (w2 >>> 1) | (w3 << 31)
    w3 = (w3 >>> 1) ^ (carry & 0xe1000000)
    words.set([w0, w1, w2, w3], (bit >> 2) * 64 + (1 << (bit & 3)) * 4)
  }
  for (let digit = 0; digit < 32; digit++)
    for (let value = 1; value < 16; value++) {
      const lowest = value & -value
      for (let word = 0; word < 4; word++) {
        const at = digit * 64 + word
        words[at + value * 4] = words[at + lowest * 4]! ^ words[at + (value - lowest) * 4]!
      }
    }
  return table
}

import { encodeEnvelope, type Storable } from '@keepsake/core'

/**
 * 64 bits of a value's bytes, as 16 hexadecimal digits: equal values have equal ones. It tells whether a replay asks what was
 * asked before, one value against one other, and spreads entities over shards. It is no secret and keeps none.
 */
export function fingerprint(value: Storable): string {
  const bytes = encodeEnvelope({ value, createdAtMs: 0 })
  // Two multiplicative hashes of 32 bits with different primes (as in cyrb53): not cryptographic, and synchronous.
  let a = 0xde_ad_be_ef ^ bytes.length
  let b = 0x41_c6_ce_57 ^ bytes.length
  for (const byte of bytes) {
    a = Math.imul(a ^ byte, 2_654_435_761)
    b = Math.imul(b ^ byte, 1_597_334_677)
  }
  a = Math.imul(a ^ (a >>> 16), 2_246_822_507) ^ Math.imul(b ^ (b >>> 13), 3_266_489_909)
  b = Math.imul(b ^ (b >>> 16), 2_246_822_507) ^ Math.imul(a ^ (a >>> 13), 3_266_489_909)
  return hex32(a) + hex32(b)
}

function hex32(n: number): string {
  return (n >>> 0).toString(16).padStart(8, '0')
}

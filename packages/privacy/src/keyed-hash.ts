import { encodeTuple, KeepsakeError } from '@keepsake/core'
import { hmacKey } from './hmac-key.ts'
import { mustBe } from './must-be.ts'

const MIN_SECRET_BYTES = 32
const HASH_BYTES = 16

/**
 * Makes ids that name nobody: what stands in a database as an owner, a thread, a subject or a key of a record stays
 * readable there even where records are encrypted, and an email or a telephone number should not.
 *
 * Gives a function from a name to the first 128 bits of its HMAC-SHA-256 (RFC 2104) in base64url: 22 letters, digits, `-`
 * and `_`, always the same for the same secret and `purpose`. Who does not know the secret can neither read the name from
 * it nor try names out; who does can find a person's hash and not the person of a hash. Order and beginnings are lost, so
 * keys that are listed by prefix or in order cannot be hidden so. A secret cannot be changed once ids were stored.
 *
 * `secret`: at least 32 random bytes, or as many characters. `purpose` tells the ids of one application or kind from those
 * of another. Throws `invalid_value` for a secret that is too short. Costs some 10 us a name.
 */
export function keyedHash(secret: string | Uint8Array, purpose: string = ''): (name: string) => Promise<string> {
  if (typeof secret !== 'string' && !(secret instanceof Uint8Array))
    throw mustBe('keyedHash: secret', 'a text or bytes', secret)
  if (secret.length < MIN_SECRET_BYTES) {
    throw new KeepsakeError(
      'invalid_value',
      `keyedHash: the secret must be at least ${MIN_SECRET_BYTES} bytes or characters, or names could be tried out; it has ${secret.length}. Make one with: openssl rand -base64 32`,
    )
  }
  // Checked here: later it would be an error of whoever first hashes.
  encodeTuple([purpose])
  const key = hmacKey(secret)
  return async (name) => {
    const mac = await crypto.subtle.sign('HMAC', await key, new TextEncoder().encode(encodeTuple([purpose, name])))
    const bytes = String.fromCharCode(...new Uint8Array(mac, 0, HASH_BYTES))
    return btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
  }
}

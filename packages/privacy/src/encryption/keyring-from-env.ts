import { KeepsakeError } from '@keepsake/core'
import { parseKeyring } from './keyring.ts'
import type { KeyWrapping } from './key-wrapping.ts'

/**
 * A keyring from an environment variable: `name:key[,name:key…]`, each key 32 bytes in base64; the first is current.
 * Throws `invalid_value` if the variable is not set or cannot be used.
 */
export function keyringFromEnv(variable = 'KEEPSAKE_KEYS'): KeyWrapping {
  const text = process.env[variable]
  if (text === undefined || text.trim() === '') {
    throw new KeepsakeError(
      'invalid_value',
      `${variable} is not set: it holds the keyring, as name:key; openssl rand -base64 32 makes a key.`,
    )
  }
  return parseKeyring(text, variable)
}

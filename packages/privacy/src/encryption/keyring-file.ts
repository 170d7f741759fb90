import { readFileSync } from 'node:fs'
import { KeepsakeError } from '@keepsake/core'
import { parseKeyring } from './keyring.ts'
import type { KeyWrapping } from './key-wrapping.ts'

/**
 * A keyring from a file of lines `name:key`, the key being 32 bytes in base64; the first is current. Reads it once, here.
 * Keep the file out of the backups of the data, readable for the process alone (mode 600). Throws `invalid_value` if it
 * cannot be read or used.
 *
 * ```sh
 * echo "2026-11:$(openssl rand -base64 32)" > keepsake.keys && chmod 600 keepsake.keys
 * ```
 */
export function keyringFile(path: string): KeyWrapping {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (cause) {
    throw new KeepsakeError(
      'invalid_value',
      `The keyring ${path} cannot be read (${reasonOf(cause)}). It is a file of lines name:key; openssl rand -base64 32 makes a key.`,
      { cause },
    )
  }
  return parseKeyring(text, path)
}

function reasonOf(cause: unknown): string {
  return (cause as NodeJS.ErrnoException).code ?? 'it is no text'
}

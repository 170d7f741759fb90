import { KeepsakeError } from '@keepsake/core'
import { mustBe } from '../must-be.ts'
import { KEY_BYTES, sealingKey, type SealingKey } from './gcm-siv.ts'
import type { KeyWrapping } from './key-wrapping.ts'

/**
 * Key-encryption keys of 32 bytes by name. The first wraps; the others still unwrap what they wrapped, until
 * `subjectKeys().rewrap()` has run. Throws `invalid_value` for none, a repeated name, or a key of another length; the
 * message never holds a key.
 */
export function keyring(entries: readonly (readonly [keyId: string, key: Uint8Array])[]): KeyWrapping {
  const keys = new Map<string, SealingKey>()
  if (!Array.isArray(entries)) throw mustBe('keyring: entries', "a list such as [['2026-11', key]]", entries)
  for (const entry of entries) {
    if (!Array.isArray(entry)) throw mustBe('An entry of a keyring', "a name and a key, ['2026-11', key]", entry)
    const [keyId, key] = entry
    if (typeof keyId !== 'string' || keyId === '' || keys.has(keyId)) {
      throw new KeepsakeError('invalid_value', `A keyring needs a name of its own for each key; "${keyId}" is not one.`)
    }
    if (!(key instanceof Uint8Array) || key.length !== KEY_BYTES) {
      throw new KeepsakeError(
        'invalid_value',
        `The key "${keyId}" must be ${KEY_BYTES} bytes (openssl rand -base64 32 makes one); it is not.`,
      )
    }
    keys.set(keyId, sealingKey(key))
  }
  const [current] = keys
  if (current === undefined) throw new KeepsakeError('invalid_value', 'A keyring needs at least one key.')
  const [currentId, currentKey] = current

  return {
    async wrap(dataKey) {
      return { keyId: currentId, bytes: currentKey.seal(dataKey, nameBytes(currentId)) }
    },
    async unwrap({ keyId, bytes }) {
      const key = keys.get(keyId)
      if (key === undefined) {
        throw new KeepsakeError(
          'invalid_value',
          `The keyring has no key "${keyId}", which wrapped a data key. Add it.`,
          {
            details: { keyId },
          },
        )
      }
      const dataKey = key.open(bytes, nameBytes(keyId))
      if (dataKey !== undefined) return dataKey
      throw new KeepsakeError(
        'invalid_value',
        `The key "${keyId}" of the keyring does not open a data key that a key of this name wrapped: it is another key, or the data key is damaged.`,
        { details: { keyId } },
      )
    },
  }
}

/** The name is sealed with the key, so that a wrapped key cannot be passed off as another's. */
function nameBytes(keyId: string): Uint8Array {
  return new TextEncoder().encode(keyId)
}

/**
 * A keyring from text: `name:key` with the key in base64, separated by commas or new lines; the first is current. Empty
 * lines and lines that begin with `#` are skipped.
 */
export function parseKeyring(text: string, where: string): KeyWrapping {
  const entries = text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line, index) => {
      const [, name, key] = /^([^:\s]+):([A-Za-z0-9+/]{43}=)$/.exec(line) ?? []
      if (name !== undefined && key !== undefined) return [name, new Uint8Array(Buffer.from(key, 'base64'))] as const
      throw new KeepsakeError(
        'invalid_value',
        `Entry ${index + 1} of ${where} is not "name:key" with a key of 32 bytes in base64 (openssl rand -base64 32 makes one).`,
      )
    })
  return keyring(entries)
}

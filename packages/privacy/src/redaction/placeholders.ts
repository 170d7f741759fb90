import { encodeTuple } from '@keepsake/core'
import { hmacKey } from '../hmac-key.ts'

/** What stands in place of something that was found. */
export type Placeholders = (scope: string, found: ReadonlyMap<string, ReadonlySet<string>>) => Promise<Placeholder>
type Placeholder = (name: string, text: string) => string

/**
 * Placeholders that say what was there: `[EMAIL]`. With a secret they also say whether two are the same, within one
 * scope (a thread, an owner) and nowhere else: `[EMAIL_3fa9c1]`, the first 24 bits of HMAC-SHA-256. Without one, whoever
 * reads the database could try all telephone numbers until one fits, so then they do not.
 */
export function placeholders(secret: string | Uint8Array | undefined): Placeholders {
  if (secret === undefined) return async () => (name) => `[${name}]`
  const key = hmacKey(secret)
  return async (scope, found) => {
    const codes = new Map<string, string>()
    for (const [name, texts] of found) {
      for (const text of texts) {
        const id = encodeTuple([scope, name, text.toWellFormed()])
        const mac = await crypto.subtle.sign('HMAC', await key, new TextEncoder().encode(id))
        const code = Array.from(new Uint8Array(mac, 0, 3), (byte) => byte.toString(16).padStart(2, '0')).join('')
        codes.set(encodeTuple([name, text.toWellFormed()]), code)
      }
    }
    return (name, text) => `[${name}_${codes.get(encodeTuple([name, text.toWellFormed()]))}]`
  }
}

import { sealingKey } from '../src/encryption/gcm-siv.ts'
import type { SubjectKeys } from '../src/encryption/index.ts'

/** One key for everybody, the same in every process. */
export function fixedKeys(): SubjectKeys {
  const key = sealingKey(new Uint8Array(32).fill(5))
  return {
    current: async () => ({ id: { subject: new Uint8Array(16), generation: 1 }, key }),
    find: async () => key,
    rotate: async () => {},
    destroy: async () => 0,
    rewrap: async () => 0,
  }
}

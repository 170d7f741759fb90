import type { Bytes, CallOptions } from '@keepsake/core'

/**
 * Wraps data keys with a key that does not leave its place: a key management service, a hardware module, or the two
 * that come with this package, {@link keyringFile} and {@link keyringFromEnv}.
 */
export interface KeyWrapping {
  /** Encrypts a data key of 32 bytes with the key that is current, and says which that is. */
  wrap(dataKey: Bytes, options?: CallOptions): Promise<WrappedKey>
  /** The data key. Rejects with `unavailable` if it cannot be told now, `invalid_value` if this key does not open it. */
  unwrap(wrapped: WrappedKey, options?: CallOptions): Promise<Bytes>
}

/** A data key that only the key named `keyId` opens. */
export interface WrappedKey {
  keyId: string
  bytes: Bytes
}

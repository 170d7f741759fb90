/** A key for HMAC-SHA-256. */
export function hmacKey(secret: string | Uint8Array): Promise<CryptoKey> {
  const bytes = typeof secret === 'string' ? new TextEncoder().encode(secret) : secret
  const key = crypto.subtle.importKey('raw', bytes as BufferSource, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  // Whoever waits for it is told; until then it is no unhandled rejection.
  key.catch(() => undefined)
  return key
}

/** Keys of objects that would be mistaken for what stands for bytes. */
const BYTES_KEY = /^\$+bytes$/

/**
 * A stored value as JSON that can be read back: bytes become `{ "$bytes": "base64" }`, and a key of that name in
 * somebody's data gets another `$` in front.
 */
export function toJsonValue(value: unknown): unknown {
  if (value instanceof Uint8Array)
    return { $bytes: Buffer.from(value.buffer, value.byteOffset, value.length).toString('base64') }
  if (Array.isArray(value)) return value.map((item) => toJsonValue(item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [BYTES_KEY.test(key) ? `$${key}` : key, toJsonValue(item)]),
  )
}

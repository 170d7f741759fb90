import type { SharedV4FileData } from '@ai-sdk/provider'
import { describeType, KeepsakeError } from '@keepsake/core'

/**
 * Any form of a file's content as the tagged one of V4 prompts. `mediaType` is that of a `data:` URL.
 *
 * A bare string is a URL if it begins with a scheme, else base64. Stored URLs are strings: they become URLs again.
 * Throws `invalid_value` for anything else.
 */
export function toFileData(data: unknown): { data: SharedV4FileData; mediaType?: string } {
  if (typeof data === 'string') return hasScheme(data) ? fromUrl(data) : { data: { type: 'data', data } }
  if (data instanceof URL) return fromUrl(data)
  const bytes = toBytes(data)
  if (bytes !== undefined) return { data: { type: 'data', data: bytes } }
  if (typeof data !== 'object' || data === null || Array.isArray(data)) throw notFileData(data)
  const tagged = data as { type?: unknown; data?: unknown; url?: unknown; text?: unknown; reference?: unknown }
  switch (tagged.type) {
    case 'data': {
      const inner = typeof tagged.data === 'string' ? tagged.data : toBytes(tagged.data)
      if (inner === undefined) throw notFileData(tagged.data)
      return { data: { type: 'data', data: inner } }
    }
    case 'url':
      if (typeof tagged.url !== 'string' && !(tagged.url instanceof URL)) throw notFileData(tagged.url)
      return fromUrl(tagged.url)
    case 'text':
      if (typeof tagged.text !== 'string') throw notFileData(tagged.text)
      return { data: { type: 'text', text: tagged.text } }
    case 'reference':
      return { data: { type: 'reference', reference: tagged.reference as Record<string, string> } }
    default:
      // A provider's reference, bare: { openai: 'file-1' }.
      return { data: { type: 'reference', reference: data as Record<string, string> } }
  }
}

function fromUrl(url: string | URL): { data: SharedV4FileData; mediaType?: string } {
  const parsed = URL.parse(url)
  if (parsed === null) throw new KeepsakeError('invalid_value', 'A file part holds a URL that cannot be parsed.')
  if (parsed.protocol !== 'data:') return { data: { type: 'url', url: parsed } }
  const match = /^data:([^;,]*)(?:;[^;,]+)*;base64,(.*)$/s.exec(parsed.href)
  if (match === null) {
    throw new KeepsakeError('invalid_value', 'A file part holds a data: URL that is not base64; encode it so.')
  }
  const [, mediaType = '', data = ''] = match
  return { data: { type: 'data', data }, ...(mediaType === '' ? {} : { mediaType }) }
}

/** Looks at the beginning only: base64 may have megabytes, and holds no colon. */
function hasScheme(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(text.slice(0, 32))
}

function toBytes(data: unknown): Uint8Array | undefined {
  if (data instanceof Uint8Array) return data
  return data instanceof ArrayBuffer ? new Uint8Array(data) : undefined
}

function notFileData(data: unknown): KeepsakeError {
  return new KeepsakeError(
    'invalid_value',
    `A file part holds ${describeType(data)} where its content should be: bytes, base64, a URL or a provider's reference.`,
  )
}

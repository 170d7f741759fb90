import { failure, notText, ok } from './failures.ts'
import type { Result } from './files.ts'

/** The text of a file, exactly: the byte-order mark stays a character. Bytes that are no UTF-8 are refused, not replaced. */
export function decodeText(bytes: Uint8Array): Result<string> {
  try {
    return ok(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
  } catch {
    return notText()
  }
}

/** The inverse of {@link decodeText}. Half a surrogate pair has no bytes in UTF-8. */
export function encodeText(text: string): Result<Uint8Array> {
  if (!text.isWellFormed())
    return failure('not_text', 'the text holds half of a surrogate pair; cut texts between characters')
  return ok(new TextEncoder().encode(text))
}

/** How a text is shown to models and searched: lines end with LF, and there is no byte-order mark. */
export function shownText(text: string): string {
  return unixText(text.startsWith('\uFEFF') ? text.slice(1) : text)
}

export function unixText(text: string): string {
  return text.replaceAll('\r\n', '\n')
}

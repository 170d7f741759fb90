import type { Files } from '@keepsake/files'
import { checkFiles, ok } from '@keepsake/files/tree'
import { createRedactor, type RedactionOptions, type Redactor } from '../redaction/redactor.ts'
import { filesInForm } from './files-in-form.ts'

export interface RedactedFilesOptions extends RedactionOptions {
  /** Instead of patterns and a secret: a redactor that is used elsewhere too. */
  redactor?: Redactor
  /** Whose files these are: with a secret, equal findings have equal placeholders in files of one scope. Default: `files`. */
  scope?: string
}

/**
 * Files that keep no emails, telephone numbers, cards and what else `patterns` find: what is written, edited or uploaded is
 * redacted before it reaches `files`, as `redacted` does with records. What was there before stays until its file is
 * written again. Paths and the `sources` of changes stay: do not make them of emails. Bytes that are no UTF-8 pass as they are.
 *
 * An edit is made on what is stored and then redacted whole, so a text that was redacted cannot be found by an edit. Throws
 * `invalid_value` for what is no files, or a pattern or secret that cannot be used. Together with encryption it goes
 * outside: `redactedFiles(encryptedFiles(…))`.
 */
export function redactedFiles(files: Files, options: RedactedFilesOptions = {}): Required<Files> {
  checkFiles(files, 'redactedFiles: files')
  const { redactor = createRedactor(options), scope = 'files' } = options
  return filesInForm(files, {
    addedBytes: 0,
    async toStored(bytes) {
      const text = asText(bytes)
      if (text === undefined) return bytes
      const safe = await redactor.text(text, scope)
      return safe === text ? bytes : new TextEncoder().encode(safe)
    },
    fromStored: async (stored) => ok(stored),
  })
}

/** Also with its byte-order mark. */
function asText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

import type { ToolOutput } from '@keepsake/core'
import { providerOptions } from '../convert/provider-options.ts'

/** Characters of a text or of JSON that a result keeps. More would fill the model's window, and then the turn's record. */
const MAX_RESULT_CHARS = 100_000
/** Of one that is kept whole in a file. */
const MAX_SHOWN_CHARS = 20_000
/** Characters and bytes of content, files included: half of what a record holds. */
const MAX_CONTENT_SIZE = 2_000_000

/**
 * A result that a turn can keep. Of a text, or of JSON as a text, that is longer, the head and the tail stay, and between
 * them how much was left out. Throws for content whose files are too large: half a file is none.
 */
export function bounded(output: ToolOutput): ToolOutput {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return { ...output, value: shorten(output.value) }
    case 'json':
    case 'error-json': {
      const json = JSON.stringify(output.value)
      if (json.length <= MAX_RESULT_CHARS) return output
      const type = output.type === 'json' ? 'text' : 'error-text'
      return { type, value: shorten(json), ...providerOptions(output) }
    }
    case 'content': {
      const value = output.value.map((item) => (item.type === 'text' ? { ...item, text: shorten(item.text) } : item))
      const size = sizeOf(value)
      if (size <= MAX_CONTENT_SIZE) return { ...output, value }
      throw new RangeError(
        `The result has content of ${size} characters and bytes; it may have at most ${MAX_CONTENT_SIZE}.`,
      )
    }
    default:
      return output
  }
}

/** The text of a result that is too long to be shown, if it can be kept whole elsewhere. */
export function longText(output: ToolOutput): string | undefined {
  const isText = output.type === 'text' || output.type === 'error-text'
  const text = isText ? output.value : output.type === 'json' ? JSON.stringify(output.value, undefined, 2) : ''
  return text.length > MAX_SHOWN_CHARS ? text : undefined
}

/** A result that is kept whole at `path`: what the model is shown of it. */
export function offloaded(output: ToolOutput, text: string, path: string): ToolOutput {
  const where = `; all ${text.length} are in ${path}`
  const type = output.type === 'error-text' ? output.type : 'text'
  return { type, value: shorten(text, MAX_SHOWN_CHARS, where), ...providerOptions(output) }
}

/** The text, or its head and tail where it is too long. No character is cut in two. */
export function shorten(text: string, maxChars: number = MAX_RESULT_CHARS, where: string = ''): string {
  if (text.length <= maxChars) return text
  const head = text.slice(0, maxChars / 2).replace(/[\ud800-\udbff]$/, '')
  const tail = text.slice(-maxChars / 2).replace(/^[\udc00-\udfff]/, '')
  return `${head}\n[… ${text.length - head.length - tail.length} characters left out${where} …]\n${tail}`
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (value instanceof Uint8Array) return value.byteLength
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce<number>((sum, inner) => sum + sizeOf(inner), 0)
}

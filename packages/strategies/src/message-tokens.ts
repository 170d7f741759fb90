import type { AnyMessage } from '@keepsake/core'
import { contentParts, type Part } from './parts.ts'

/** Counts the tokens of a text. */
export type CountTokens = (text: string) => number

/** What stands around each message in a prompt: its role and its marks. OpenAI's formats take 3 to 4. */
const TOKENS_OF_MESSAGE = 4
/**
 * What an image counts: the most that Anthropic (1,568 px edge, width * height / 750) and OpenAI (detail "high") charge
 * for one that was scaled as they advise.
 */
const TOKENS_OF_IMAGE = 1600
/** Other media are charged by page or second, which only their content tells: a token for so many bytes of it. */
const BYTES_OF_TOKEN = 100

/**
 * What a message costs in a prompt: the texts of its parts by `count`; each image 1,600 tokens, and other media a token
 * for 100 bytes but no less than an image. Base64 is never counted as text. Linear.
 */
export function messageTokens(message: AnyMessage, count: CountTokens): number {
  const { content, parts } = message as { content?: unknown; parts?: unknown }
  if (typeof content === 'string') return TOKENS_OF_MESSAGE + count(content)
  let tokens = TOKENS_OF_MESSAGE
  for (const part of Array.isArray(parts) && content === undefined ? parts : contentParts(message)) {
    tokens += partTokens(part, count)
  }
  return tokens
}

function partTokens(part: Part & Record<string, unknown>, count: CountTokens): number {
  switch (part.type) {
    case 'image':
      return TOKENS_OF_IMAGE
    case 'file':
    case 'reasoning-file':
    case 'media':
    case 'image-data':
    case 'image-url':
    case 'file-data':
    case 'file-url':
    case 'file-id':
      return mediaTokens(part)
    case 'tool-call':
      return count(`${String(part['toolName'])} ${jsonText(part['input'])}`)
    case 'tool-result':
      return outputTokens(part['output'], count)
    default:
      return typeof part.text === 'string' ? count(part.text) : count(jsonText(withoutMarks(part)))
  }
}

function outputTokens(output: unknown, count: CountTokens): number {
  const { type, value, reason } = (output ?? {}) as { type?: unknown; value?: unknown; reason?: unknown }
  if (type === 'content' && Array.isArray(value)) {
    return value.reduce<number>((sum, part) => sum + partTokens(part as Part & Record<string, unknown>, count), 0)
  }
  if (typeof value === 'string') return count(value)
  return count(typeof reason === 'string' ? reason : jsonText(value))
}

function mediaTokens(part: Record<string, unknown>): number {
  const mediaType = String(part['mediaType'] ?? part['type'])
  if (mediaType.startsWith('image')) return TOKENS_OF_IMAGE
  return Math.max(TOKENS_OF_IMAGE, Math.ceil(bytesOf(part['data'] ?? part['url']) / BYTES_OF_TOKEN))
}

function bytesOf(data: unknown): number {
  if (typeof data === 'string') return Math.floor((data.length * 3) / 4)
  if (data instanceof ArrayBuffer || ArrayBuffer.isView(data)) return data.byteLength
  if (typeof data === 'object' && data !== null && !(data instanceof URL))
    return bytesOf((data as { data?: unknown }).data)
  return 0
}

/** UI parts of tools hold input and output under names of their own: all of it counts, but for what providers are told apart. */
function withoutMarks({ type: _type, providerOptions: _options, ...rest }: Part & Record<string, unknown>): unknown {
  return rest
}

/** JSON, or nothing for what has none. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    // A cycle or a BigInt: no provider would take it either.
    return ''
  }
}

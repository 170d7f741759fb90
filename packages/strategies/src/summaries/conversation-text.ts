import type { Message } from '@keepsake/core'
import { jsonText, type CountTokens } from '../message-tokens.ts'
import { contentParts, type Part } from '../parts.ts'
import { isInjected } from '../injected.ts'

/** A unit of messages as text for a model: who said what, what was called and what came back. Media by name only. */
export function unitText(unit: readonly Message[]): string {
  return unit.flatMap((message) => (isInjected(message) ? [] : messageLines(message))).join('\n')
}

function messageLines(message: Message): string[] {
  const { role, content } = message
  if (typeof content === 'string') return content === '' ? [] : [`${role}: ${content}`]
  return contentParts(message).flatMap((part) => {
    const text = partText(part as Part & Record<string, unknown>)
    return text === '' ? [] : [`${role}: ${text}`]
  })
}

function partText(part: Part & Record<string, unknown>): string {
  switch (part.type) {
    case 'text':
      return textOf(part.text)
    case 'tool-call':
      return `calls ${textOf(part['toolName'])}(${jsonText(part['input'])})`
    case 'tool-result':
      return `${textOf(part['toolName'])} gave ${outputText(part['output'])}`
    case 'tool-approval-response':
      return part['approved'] === true
        ? 'approved'
        : `denied${part['reason'] === undefined ? '' : `: ${textOf(part['reason'])}`}`
    case 'image':
    case 'file':
      return `[${textOf(part['filename'] ?? part['mediaType'] ?? part.type)}]`
    default:
      // Reasoning and marks are no part of what was said.
      return ''
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function outputText(output: unknown): string {
  const { type, value, reason } = (output ?? {}) as { type?: unknown; value?: unknown; reason?: unknown }
  if (type === 'execution-denied') return `nothing: denied${reason === undefined ? '' : `, ${textOf(reason)}`}`
  if (typeof value === 'string') return value
  if (type !== 'content' || !Array.isArray(value)) return jsonText(value)
  return value
    .map((part: { type?: unknown; text?: unknown; mediaType?: unknown }) =>
      part.type === 'text' ? textOf(part.text) : `[${textOf(part.mediaType ?? part.type)}]`,
    )
    .join('\n')
}

/**
 * Texts in chunks of at most `maxTokens` each, none of which ends within a text. A text that is longer keeps its head and
 * its tail. At most `maxChunks`: the oldest texts beyond are left out and the first chunk says how many.
 */
export function chunkTexts(
  texts: readonly string[],
  count: CountTokens,
  { maxTokens, maxChunks }: { maxTokens: number; maxChunks: number },
): string[] {
  const chunks: string[][] = []
  let room = 0
  let left = texts.length
  // From the newest, so that what has to go is the oldest.
  for (const text of texts.toReversed()) {
    const short = shorten(text, count, maxTokens)
    const tokens = count(short) + 1
    if (tokens > room) {
      if (chunks.length === maxChunks) break
      chunks.push([])
      room = maxTokens
    }
    chunks.at(-1)!.push(short)
    room -= tokens
    left--
  }
  const joined = chunks.toReversed().map((chunk) => chunk.toReversed().join('\n'))
  if (left > 0) joined[0] = `[${left} earlier parts are left out]\n${joined[0]}`
  return joined
}

/** A text with its middle left out, so that it has at most `maxTokens`. */
export function shorten(text: string, count: CountTokens, maxTokens: number): string {
  let tokens = count(text)
  if (tokens <= maxTokens) return text
  let length = text.length
  // Each round takes what the count says is too much, and a little more.
  for (let round = 0; tokens > maxTokens && round < 20; round++) {
    length = Math.floor(length * Math.min(0.9, (0.95 * maxTokens) / tokens))
    const head = text.slice(0, Math.ceil(length * 0.6)).toWellFormed()
    const tail = text.slice(text.length - Math.floor(length * 0.4)).toWellFormed()
    const short = `${head}\n[… ${text.length - length} characters left out …]\n${tail}`
    tokens = count(short)
    if (tokens <= maxTokens) return short
  }
  return ''
}

import { toJsonValue } from './json-value.ts'
import { formatBytes } from './quantities.ts'
import { escapeJson, safeBlock, safeLine } from './safe-text.ts'

interface Part {
  type?: unknown
  [field: string]: unknown
}

/**
 * What a message says, as lines that are safe to show. Reads `content` of ModelMessage and `parts` of UIMessage; what it
 * does not know is shown as JSON, so nothing is left out but the bytes of media.
 */
export function messageLines(message: object): string[] {
  const { content, parts } = message as { content?: unknown; parts?: unknown }
  const said = content ?? parts
  if (typeof said === 'string') return safeBlock(said).split('\n')
  if (!Array.isArray(said)) return [json(message)]
  return said.flatMap((part: unknown) => (isPart(part) ? partLines(part) : [json(part)]))
}

function isPart(part: unknown): part is Part {
  return typeof part === 'object' && part !== null
}

function partLines(part: Part): string[] {
  switch (part.type) {
    case 'text':
      return safeBlock(String(part['text'])).split('\n')
    case 'reasoning':
      return safeBlock(`(thinks) ${String(part['text'])}`).split('\n')
    case 'tool-call':
      return [safeLine(`→ ${String(part['toolName'])} `) + json(part['input'])]
    case 'tool-result':
      return resultLines(part)
    case 'image':
    case 'file':
      return [media(part)]
    default:
      return [json(part)]
  }
}

function resultLines(part: Part): string[] {
  const output = part['output'] as { type?: unknown; value?: unknown } | undefined
  const head = safeLine(`← ${String(part['toolName'])} `)
  if (output?.type === 'text') return safeBlock(head + String(output.value)).split('\n')
  if (output?.type === 'error-text') return safeBlock(`${head}failed: ${String(output.value)}`).split('\n')
  return [head + json(output !== undefined && 'value' in output ? output.value : output)]
}

/** Media by kind and size: their bytes say nothing on a terminal. */
function media(part: Part): string {
  const data = part['data'] ?? part['image'] ?? part['url']
  const name = typeof part['filename'] === 'string' ? ` ${part['filename']}` : ''
  const kind = typeof part['mediaType'] === 'string' ? part['mediaType'] : part.type
  if (typeof data === 'string' && /^https?:/.test(data)) return safeLine(`[${String(kind)}${name} ${data}]`)
  const bytes = data instanceof Uint8Array ? data.length : typeof data === 'string' ? (data.length * 3) / 4 : undefined
  return safeLine(`[${String(kind)}${name}${bytes === undefined ? '' : ` ${formatBytes(bytes)}`}]`)
}

function json(value: unknown): string {
  return value === undefined ? '' : escapeJson(JSON.stringify(toJsonValue(value)))
}

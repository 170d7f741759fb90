import type { LanguageModelV4ToolResultOutput, SharedV4ProviderOptions } from '@ai-sdk/provider'
import { KeepsakeError, type ToolOutput } from '@keepsake/core'
import { toFileData } from './file-data.ts'
import { providerOptions } from './provider-options.ts'

type ContentItem = Extract<LanguageModelV4ToolResultOutput, { type: 'content' }>['value'][number]

/**
 * A stored tool result as V4 prompts have it. The forms of `content` that ai 7 still takes but calls deprecated
 * (`file-data`, `image-url` and so on) become `file`.
 */
export function toPromptOutput(output: ToolOutput): LanguageModelV4ToolResultOutput {
  if (output.type !== 'content') return output
  return { type: 'content', value: output.value.map(toContentItem), ...providerOptions(output) }
}

function toContentItem(item: any): ContentItem {
  const options = providerOptions(item ?? {})
  switch (item?.type) {
    case 'text':
      return { type: 'text', text: item.text, ...options }
    case 'custom':
      return { type: 'custom', ...options }
    case 'file':
    case 'file-data':
    case 'image-data':
      return fileItem(item, item.data, item.mediaType)
    case 'file-url':
      return fileItem(item, { type: 'url', url: item.url }, item.mediaType ?? 'application/octet-stream')
    case 'image-url':
      return fileItem(item, { type: 'url', url: item.url }, 'image')
    case 'file-id':
    case 'image-file-id':
      if (typeof item.fileId === 'string') {
        throw new KeepsakeError(
          'invalid_value',
          `A tool result of type "${item.type}" does not say whose file id it is: pass { provider: id }.`,
        )
      }
      return fileItem(item, { type: 'reference', reference: item.fileId }, topLevelType(item.type))
    case 'file-reference':
    case 'image-file-reference':
      return fileItem(item, { type: 'reference', reference: item.providerReference }, topLevelType(item.type))
    default:
      throw new KeepsakeError('invalid_value', `A tool result holds content of an unknown type: "${item?.type}".`)
  }
}

function fileItem(
  item: { filename?: string; providerOptions?: SharedV4ProviderOptions },
  content: unknown,
  givenType: string,
): ContentItem {
  const { data, mediaType = givenType } = toFileData(content)
  const filename = item.filename === undefined ? {} : { filename: item.filename }
  return { type: 'file', data, mediaType, ...filename, ...providerOptions(item) }
}

function topLevelType(type: string): string {
  return type.startsWith('image') ? 'image' : 'application'
}

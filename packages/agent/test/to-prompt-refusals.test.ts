import { KeepsakeError, type Message } from '@keepsake/core'
import { describe, expect, test } from 'vitest'
import { toPrompt } from '../src/convert/to-prompt.ts'

const options = { anthropic: { cacheControl: { type: 'ephemeral' } } }
const bytes = new Uint8Array([137, 80, 78, 71])

function result(output: Extract<Message, { role: 'tool' }>['content'][number] & { type: 'tool-result' }): Message[] {
  return [{ role: 'tool', content: [output] }]
}

describe('content of a tool result', () => {
  const rows: [string, object, object][] = [
    [
      'text',
      { type: 'text', text: 'x', providerOptions: options },
      { type: 'text', text: 'x', providerOptions: options },
    ],
    ['custom', { type: 'custom', providerOptions: options }, { type: 'custom', providerOptions: options }],
    [
      'file',
      { type: 'file', data: { type: 'data', data: bytes }, mediaType: 'image/png', filename: 'a.png' },
      { type: 'file', data: { type: 'data', data: bytes }, mediaType: 'image/png', filename: 'a.png' },
    ],
    [
      'file-data',
      { type: 'file-data', data: 'aGk=', mediaType: 'a/b', filename: 'f' },
      { type: 'file', data: { type: 'data', data: 'aGk=' }, mediaType: 'a/b', filename: 'f' },
    ],
    [
      'image-data',
      { type: 'image-data', data: 'aGk=', mediaType: 'image/png' },
      { type: 'file', data: { type: 'data', data: 'aGk=' }, mediaType: 'image/png' },
    ],
    [
      'file-url',
      { type: 'file-url', url: 'https://x.test/a' },
      { type: 'file', data: { type: 'url', url: new URL('https://x.test/a') }, mediaType: 'application/octet-stream' },
    ],
    [
      'image-url',
      { type: 'image-url', url: 'https://x.test/a' },
      { type: 'file', data: { type: 'url', url: new URL('https://x.test/a') }, mediaType: 'image' },
    ],
    [
      'file-id',
      { type: 'file-id', fileId: { openai: 'f' } },
      { type: 'file', data: { type: 'reference', reference: { openai: 'f' } }, mediaType: 'application' },
    ],
    [
      'image-file-id',
      { type: 'image-file-id', fileId: { openai: 'f' } },
      { type: 'file', data: { type: 'reference', reference: { openai: 'f' } }, mediaType: 'image' },
    ],
    [
      'file-reference',
      { type: 'file-reference', providerReference: { openai: 'f' } },
      { type: 'file', data: { type: 'reference', reference: { openai: 'f' } }, mediaType: 'application' },
    ],
    [
      'image-file-reference',
      { type: 'image-file-reference', providerReference: { openai: 'f' } },
      { type: 'file', data: { type: 'reference', reference: { openai: 'f' } }, mediaType: 'image' },
    ],
  ]
  test.each(rows)('%s', (_name, item, expected) => {
    const part = { type: 'tool-result' as const, toolCallId: 'c', toolName: 't' }
    expect(toPrompt(result({ ...part, output: { type: 'content', value: [item], providerOptions: options } }))).toEqual(
      [
        {
          role: 'tool',
          content: [{ ...part, output: { type: 'content', value: [expected], providerOptions: options } }],
        },
      ],
    )
  })
})

describe('what is no message', () => {
  const part = { type: 'tool-result', toolCallId: 'c', toolName: 't' }
  const rows: [string, unknown, RegExp][] = [
    ['unknown role', { role: 'developer', content: 'x' }, /role that is not known: "developer"/],
    [
      'unknown part of a user',
      { role: 'user', content: [{ type: 'tool-call' }] },
      /user message holds a part that is not known: "tool-call"/,
    ],
    [
      'unknown part of an assistant',
      { role: 'assistant', content: [{ type: 'video' }] },
      /assistant message holds a part that is not known: "video"/,
    ],
    [
      'unknown part of a tool',
      { role: 'tool', content: [{ type: 'text', text: 'x' }] },
      /tool message holds a part that is not known: "text"/,
    ],
    [
      'unknown content of a result',
      { role: 'tool', content: [{ ...part, output: { type: 'content', value: [{ type: 'video' }] } }] },
      /unknown type: "video"/,
    ],
    [
      'a file id of nobody',
      { role: 'tool', content: [{ ...part, output: { type: 'content', value: [{ type: 'file-id', fileId: 'f' }] } }] },
      /whose file id/,
    ],
    ['a number as a file', { role: 'user', content: [{ type: 'file', data: 5, mediaType: 'a/b' }] }, /holds a number/],
    [
      'tagged data that is none',
      { role: 'user', content: [{ type: 'file', data: { type: 'data', data: 5 }, mediaType: 'a/b' }] },
      /holds a number/,
    ],
    [
      'tagged URL that is none',
      { role: 'user', content: [{ type: 'file', data: { type: 'url', url: 5 }, mediaType: 'a/b' }] },
      /holds a number/,
    ],
    [
      'tagged text that is none',
      { role: 'user', content: [{ type: 'file', data: { type: 'text' }, mediaType: 'a/b' }] },
      /holds undefined/,
    ],
    [
      'a URL that is none',
      { role: 'user', content: [{ type: 'file', data: { type: 'url', url: 'x' }, mediaType: 'a/b' }] },
      /URL that cannot be parsed/,
    ],
    [
      'a data URL that is not base64',
      { role: 'user', content: [{ type: 'image', image: 'data:text/plain,hi' }] },
      /not base64/,
    ],
    [
      'a reasoning file by reference',
      { role: 'assistant', content: [{ type: 'reasoning-file', data: { openai: 'f' }, mediaType: 'a/b' }] },
      /holds a reference/,
    ],
  ]
  test.each(rows)('%s', (_name, message, words) => {
    const error = thrownBy(() => toPrompt([message as Message]))
    expect(KeepsakeError.isInstance(error, 'invalid_value')).toBe(true)
    expect((error as Error).message).toMatch(words)
  })
})

function thrownBy(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

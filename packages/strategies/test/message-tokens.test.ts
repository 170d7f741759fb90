import { describe, expect, it } from 'vitest'
import type { AnyMessage } from '@keepsake/core'
import { messageTokens } from '../src/message-tokens.ts'

/** A token for each character, so that sums can be worked out by hand; 4 more for each message. */
const count = (text: string): number => text.length
const tokens = (message: object): number => messageTokens(message as AnyMessage, count)

const base64 = 'A'.repeat(1_000_000)
const bytes = new Uint8Array(1_000_000)

describe('messageTokens', () => {
  it('counts a text and a list of texts the same', () => {
    expect(tokens({ role: 'user', content: 'hello' })).toBe(9)
    expect(tokens({ role: 'user', content: [{ type: 'text', text: 'hello' }] })).toBe(9)
    expect(
      tokens({
        role: 'user',
        content: [
          { type: 'text', text: 'hel' },
          { type: 'text', text: 'lo' },
        ],
      }),
    ).toBe(9)
    expect(tokens({ role: 'user', parts: [{ type: 'text', text: 'hello' }] })).toBe(9)
    expect(tokens({ role: 'user', content: '' })).toBe(4)
  })

  it('counts calls and results as the JSON that is sent, whatever the kind of output', () => {
    const call = { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: { q: 1 } }
    expect(tokens({ role: 'assistant', content: [call] })).toBe(4 + 'look {"q":1}'.length)
    const result = (output: object): object => ({
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: 'c', toolName: 'look', output }],
    })
    expect(tokens(result({ type: 'text', value: 'seen' }))).toBe(4 + 4)
    expect(tokens(result({ type: 'error-text', value: 'gone' }))).toBe(4 + 4)
    expect(tokens(result({ type: 'json', value: [1, 2] }))).toBe(4 + 5)
    expect(tokens(result({ type: 'execution-denied', reason: 'no' }))).toBe(4 + 2)
    expect(tokens(result({ type: 'content', value: [{ type: 'text', text: 'ab' }] }))).toBe(4 + 2)
    expect(tokens({ role: 'assistant', content: [{ type: 'reasoning', text: 'hm' }] })).toBe(4 + 2)
  })

  const image = [
    { type: 'image', image: base64 },
    { type: 'image', image: bytes },
    { type: 'image', image: new URL('https://example.org/a.png') },
    { type: 'file', data: base64, mediaType: 'image/png' },
    { type: 'file', data: { type: 'data', data: bytes }, mediaType: 'image/png' },
    { type: 'media', data: base64, mediaType: 'image/png' },
    { type: 'image-data', data: base64, mediaType: 'image/png' },
    { type: 'image-url', url: 'https://example.org/a.png' },
  ]
  it.each(image)('an image is 1,600 in content of users, tools and the system, never its base64: %#', (part) => {
    for (const role of ['user', 'assistant', 'system']) expect(tokens({ role, content: [part] })).toBe(1_604)
    const output = { type: 'content', value: [part] }
    expect(
      tokens({ role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c', toolName: 'look', output }] }),
    ).toBe(1_604)
  })

  it.each([
    // A token for 100 bytes, no less than an image.
    [{ type: 'file', data: bytes, mediaType: 'application/pdf' }, 10_000],
    [{ type: 'file', data: bytes.buffer, mediaType: 'audio/wav' }, 10_000],
    [{ type: 'file', data: base64, mediaType: 'application/pdf' }, 7_500],
    [{ type: 'file-data', data: base64, mediaType: 'application/pdf' }, 7_500],
    [{ type: 'file', data: 'QUJD', mediaType: 'application/pdf' }, 1_600],
    [{ type: 'file', data: new URL('https://example.org/a.pdf'), mediaType: 'application/pdf' }, 1_600],
    [{ type: 'file-url', url: 'https://example.org/a.pdf' }, 1_600],
    [{ type: 'file-id', fileId: 'f-1' }, 1_600],
  ])('other media count by their bytes: %#', (part, expected) => {
    expect(tokens({ role: 'user', content: [part] })).toBe(4 + expected)
  })

  it('hands a megabyte of media to no counter', () => {
    const texts: string[] = []
    for (const part of image) messageTokens({ role: 'user', content: [part] } as AnyMessage, (text) => texts.push(text))
    expect(texts).toEqual([])
  })

  it('counts what cannot be sent at all as nothing, and breaks on nothing', () => {
    const loop: Record<string, unknown> = {}
    loop['self'] = loop
    expect(
      tokens({ role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'f', input: loop }] }),
    ).toBe(6)
    expect(tokens({ role: 'user' })).toBe(4)
    expect(tokens({ role: 'user', content: [null, 3] })).toBe(4)
  })
})

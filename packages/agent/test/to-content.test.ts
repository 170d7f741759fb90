import type { LanguageModelV4Content } from '@ai-sdk/provider'
import { expect, test } from 'vitest'
import { fromContent, toContent, type AssistantPart } from '../src/index.ts'

const metadata = { openai: { itemId: 'i1' } }
const named = { toolCallId: 'c1', toolName: 'weather' }

test.each<[string, AssistantPart, LanguageModelV4Content]>([
  [
    'text',
    { type: 'text', text: 'Hi', providerOptions: metadata },
    { type: 'text', text: 'Hi', providerMetadata: metadata },
  ],
  [
    'reasoning',
    { type: 'reasoning', text: 'Hm.', providerOptions: metadata },
    { type: 'reasoning', text: 'Hm.', providerMetadata: metadata },
  ],
  [
    'a file',
    { type: 'file', data: { type: 'data', data: 'aGk=' }, mediaType: 'text/plain' },
    { type: 'file', data: { type: 'data', data: 'aGk=' }, mediaType: 'text/plain' },
  ],
  [
    'a file whose URL was stored as text',
    { type: 'reasoning-file', data: { type: 'url', url: 'https://x.test/' }, mediaType: 'image/png' },
    { type: 'reasoning-file', data: { type: 'url', url: new URL('https://x.test/') }, mediaType: 'image/png' },
  ],
  ['a custom part', { type: 'custom', kind: 'openai.note' }, { type: 'custom', kind: 'openai.note' }],
  [
    'a call of ours',
    { type: 'tool-call', ...named, input: { city: 'Bern' } },
    { type: 'tool-call', ...named, input: '{"city":"Bern"}' },
  ],
  [
    'a call of the provider',
    { type: 'tool-call', ...named, input: {}, providerExecuted: true, providerOptions: metadata },
    { type: 'tool-call', ...named, input: '{}', providerExecuted: true, dynamic: true, providerMetadata: metadata },
  ],
  [
    'a result',
    { type: 'tool-result', ...named, output: { type: 'json', value: { c: 21 } } },
    { type: 'tool-result', ...named, result: { c: 21 }, dynamic: true },
  ],
  [
    'a result that is a text',
    { type: 'tool-result', ...named, output: { type: 'text', value: 'warm' } },
    { type: 'tool-result', ...named, result: 'warm', dynamic: true },
  ],
  [
    'an error',
    { type: 'tool-result', ...named, output: { type: 'error-text', value: 'away' } },
    { type: 'tool-result', ...named, result: 'away', isError: true, dynamic: true },
  ],
  [
    'an error with fields',
    { type: 'tool-result', ...named, output: { type: 'error-json', value: { code: 5 } } },
    { type: 'tool-result', ...named, result: { code: 5 }, isError: true, dynamic: true },
  ],
  [
    'a request of an approval',
    { type: 'tool-approval-request', approvalId: 'a1', toolCallId: 'c1' },
    { type: 'tool-approval-request', approvalId: 'a1', toolCallId: 'c1' },
  ],
])('%s, and back', (_name, part, content) => {
  expect(toContent([part])).toEqual([content])
  // A URL is stored as its text.
  expect(JSON.stringify(fromContent([content]))).toBe(JSON.stringify([part]))
})

test('a result of a kind that no model gives is told as it is', () => {
  const output = { type: 'execution-denied', reason: 'no' } as const
  expect(toContent([{ type: 'tool-result', ...named, output }])).toEqual([
    { type: 'tool-result', ...named, result: output, dynamic: true },
  ])
})

test('a file that no model can have made is refused', () => {
  const part: AssistantPart = {
    type: 'file',
    data: { type: 'reference', reference: { openai: 'f' } },
    mediaType: 'a/b',
  }
  expect(() => toContent([part])).toThrow(/file holds a reference; what models make is bytes or a URL/)
})

test('a preview of a result is not one', () => {
  expect(fromContent([{ type: 'tool-result', ...named, result: 'half', preliminary: true }])).toEqual([])
})

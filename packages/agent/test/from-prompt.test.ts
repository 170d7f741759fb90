import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'
import { describe, expect, test } from 'vitest'
import { fromPrompt, toPrompt } from '../src/index.ts'

const options = { anthropic: { cacheControl: { type: 'ephemeral' } } }
const bytes = new Uint8Array([137, 80, 78, 71])
const url = new URL('https://x.test/a.png')
const named = { toolCallId: 'c1', toolName: 'weather' }

function results(...outputs: Extract<Part<'tool'>, { type: 'tool-result' }>['output'][]): LanguageModelV4Message {
  return { role: 'tool', content: outputs.map((output) => ({ type: 'tool-result', ...named, output })) }
}
type Part<R extends 'tool'> = Extract<LanguageModelV4Message, { role: R }>['content'][number]

const prompt: LanguageModelV4Prompt = [
  { role: 'system', content: 'Be short.', providerOptions: options },
  { role: 'user', content: [{ type: 'text', text: 'Hi' }], providerOptions: options },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'Look', providerOptions: options },
      { type: 'file', data: { type: 'data', data: bytes }, mediaType: 'image/png', filename: 'a.png' },
      { type: 'file', data: { type: 'data', data: 'iVBORw==' }, mediaType: 'image', providerOptions: options },
      { type: 'file', data: { type: 'url', url }, mediaType: 'image/*' },
      { type: 'file', data: { type: 'text', text: '# A' }, mediaType: 'text/markdown' },
      { type: 'file', data: { type: 'reference', reference: { openai: 'file-1' } }, mediaType: 'application/pdf' },
    ],
  },
  {
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'Hm.', providerOptions: options },
      { type: 'reasoning-file', data: { type: 'url', url }, mediaType: 'image/png' },
      { type: 'text', text: 'Looking.', providerOptions: options },
      { type: 'custom', kind: 'openai.note', providerOptions: options },
      { type: 'file', data: { type: 'data', data: bytes }, mediaType: 'image/png' },
      { type: 'tool-call', ...named, input: { city: 'Bern' }, providerExecuted: true, providerOptions: options },
      { type: 'tool-result', ...named, output: { type: 'json', value: { c: 21 } }, providerOptions: options },
    ],
    providerOptions: options,
  },
  results(
    { type: 'text', value: 'a' },
    { type: 'json', value: null },
    { type: 'error-text', value: 'b', providerOptions: options },
    { type: 'error-json', value: [1] },
    { type: 'execution-denied', reason: 'no' },
    {
      type: 'content',
      value: [
        { type: 'text', text: 'x', providerOptions: options },
        { type: 'file', data: { type: 'data', data: 'iVBORw==' }, mediaType: 'image/png', filename: 'a.png' },
        { type: 'custom', providerOptions: options },
      ],
    },
  ),
  {
    role: 'assistant',
    content: [{ type: 'text', text: 'Done.' }],
  },
  { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'a1', approved: false, reason: 'no' }] },
]

test('what becomes of a prompt is the same prompt again', () => {
  expect(toPrompt(fromPrompt(prompt))).toEqual(prompt)
})

describe('messages as they are stored', () => {
  test('a plain text is the content of a user’s message; one with options stays a part', () => {
    expect(fromPrompt(prompt.slice(1, 2))).toEqual([{ role: 'user', content: 'Hi', providerOptions: options }])
    const part = { type: 'text' as const, text: 'Hi', providerOptions: options }
    expect(fromPrompt([{ role: 'user', content: [part] }])).toEqual([{ role: 'user', content: [part] }])
    expect(fromPrompt([{ role: 'user', content: [] }])).toEqual([{ role: 'user', content: [] }])
  })

  test('an approval that reaches a model is one of the provider’s', () => {
    expect(fromPrompt(prompt.slice(-1))).toEqual([
      {
        role: 'tool',
        content: [
          { type: 'tool-approval-response', approvalId: 'a1', approved: false, reason: 'no', providerExecuted: true },
        ],
      },
    ])
  })

  test('nothing becomes nothing, and the prompt is not changed', () => {
    expect(fromPrompt([])).toEqual([])
    const before = structuredClone(prompt.filter(({ role }) => role === 'tool'))
    fromPrompt(prompt)
    expect(prompt.filter(({ role }) => role === 'tool')).toEqual(before)
  })

  test.each(['model', undefined, 5])('the role %s is refused', (role) => {
    expect(() => fromPrompt([{ role, content: [] } as never])).toThrow(/role that is not known/)
  })
})

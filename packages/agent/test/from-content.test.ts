import type { LanguageModelV4Content } from '@ai-sdk/provider'
import { KeepsakeError } from '@keepsake/core'
import { describe, expect, test } from 'vitest'
import { fromContent } from '../src/convert/from-content.ts'
import { parseInput } from '../src/convert/parse-input.ts'
import { toPrompt } from '../src/convert/to-prompt.ts'

const metadata = { anthropic: { signature: 's' } }

describe('every part', () => {
  const rows: [string, LanguageModelV4Content, unknown[]][] = [
    ['text', { type: 'text', text: 'Hi' }, [{ type: 'text', text: 'Hi' }]],
    [
      'text: metadata go back as options',
      { type: 'text', text: '', providerMetadata: metadata },
      [{ type: 'text', text: '', providerOptions: metadata }],
    ],
    ['empty text', { type: 'text', text: '' }, []],
    [
      'reasoning',
      { type: 'reasoning', text: '', providerMetadata: metadata },
      [{ type: 'reasoning', text: '', providerOptions: metadata }],
    ],
    [
      'file',
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'aGk=' } },
      [{ type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'aGk=' } }],
    ],
    [
      'reasoning file',
      {
        type: 'reasoning-file',
        mediaType: 'image/png',
        data: { type: 'url', url: new URL('https://x.test/') },
        providerMetadata: metadata,
      },
      [
        {
          type: 'reasoning-file',
          mediaType: 'image/png',
          data: { type: 'url', url: new URL('https://x.test/') },
          providerOptions: metadata,
        },
      ],
    ],
    [
      'custom',
      { type: 'custom', kind: 'a.b', providerMetadata: metadata },
      [{ type: 'custom', kind: 'a.b', providerOptions: metadata }],
    ],
    ['source', { type: 'source', sourceType: 'url', id: 's', url: 'https://x.test/' }, []],
    [
      'tool call',
      { type: 'tool-call', toolCallId: 'c', toolName: 't', input: '{"a":1}', providerMetadata: metadata },
      [{ type: 'tool-call', toolCallId: 'c', toolName: 't', input: { a: 1 }, providerOptions: metadata }],
    ],
    [
      'tool call of the provider',
      { type: 'tool-call', toolCallId: 'c', toolName: 't', input: '', providerExecuted: true },
      [{ type: 'tool-call', toolCallId: 'c', toolName: 't', input: {}, providerExecuted: true }],
    ],
    [
      'tool result: JSON',
      { type: 'tool-result', toolCallId: 'c', toolName: 't', result: { a: 1 } },
      [{ type: 'tool-result', toolCallId: 'c', toolName: 't', output: { type: 'json', value: { a: 1 } } }],
    ],
    [
      'tool result: text',
      { type: 'tool-result', toolCallId: 'c', toolName: 't', result: 'x' },
      [{ type: 'tool-result', toolCallId: 'c', toolName: 't', output: { type: 'text', value: 'x' } }],
    ],
    [
      'tool result: error as text',
      { type: 'tool-result', toolCallId: 'c', toolName: 't', result: 'x', isError: true },
      [{ type: 'tool-result', toolCallId: 'c', toolName: 't', output: { type: 'error-text', value: 'x' } }],
    ],
    [
      'tool result: error as JSON',
      { type: 'tool-result', toolCallId: 'c', toolName: 't', result: { code: 1 }, isError: true },
      [{ type: 'tool-result', toolCallId: 'c', toolName: 't', output: { type: 'error-json', value: { code: 1 } } }],
    ],
    [
      'approval request',
      { type: 'tool-approval-request', approvalId: 'a', toolCallId: 'c' },
      [{ type: 'tool-approval-request', approvalId: 'a', toolCallId: 'c' }],
    ],
  ]
  test.each(rows)('%s', (_name, part, expected) => {
    expect(fromContent([part])).toEqual(expected)
  })

  test('what a model said comes back to it as it was', () => {
    const content: LanguageModelV4Content[] = [
      { type: 'reasoning', text: 'Hm', providerMetadata: metadata },
      { type: 'text', text: 'Let me see.' },
      { type: 'tool-call', toolCallId: 'c', toolName: 't', input: '{"a":[1,null]}' },
    ]
    expect(toPrompt([{ role: 'assistant', content: fromContent(content) }])).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Hm', providerOptions: metadata },
          { type: 'text', text: 'Let me see.' },
          { type: 'tool-call', toolCallId: 'c', toolName: 't', input: { a: [1, null] } },
        ],
      },
    ])
  })

  test('parts of unknown types, and what is no part, are left out', () => {
    const content = [
      { type: 'video', url: 'x' },
      null,
      5,
      {},
      { type: 'text', text: 'Hi' },
    ] as unknown as LanguageModelV4Content[]
    expect(fromContent(content)).toEqual([{ type: 'text', text: 'Hi' }])
  })
})

describe('malformed parts', () => {
  const rows: [string, unknown, RegExp][] = [
    ['text without text', { type: 'text' }, /a text part with undefined for text/],
    ['reasoning that is a number', { type: 'reasoning', text: 1 }, /a reasoning part with a number for text/],
    ['call without a name', { type: 'tool-call', toolCallId: 'c', input: '{}' }, /undefined for toolName/],
    ['call with an empty name', { type: 'tool-call', toolCallId: 'c', toolName: '', input: '{}' }, /an empty toolName/],
    ['call without an id', { type: 'tool-call', toolName: 't', input: '{}' }, /undefined for toolCallId/],
    ['result without an id', { type: 'tool-result', toolName: 't', result: 1 }, /undefined for toolCallId/],
    ['file without a media type', { type: 'file', data: { type: 'data', data: '' } }, /undefined for mediaType/],
    ['custom without a kind', { type: 'custom' }, /undefined for kind/],
  ]
  test.each(rows)('%s', (_name, part, words) => {
    expect(() => fromContent([part as LanguageModelV4Content])).toThrow(words)
    try {
      fromContent([part as LanguageModelV4Content])
    } catch (error) {
      expect(KeepsakeError.isInstance(error, 'invalid_value')).toBe(true)
    }
  })
})

describe('parseInput', () => {
  test.each([
    ['{"a":1}', { a: 1 }],
    ['', {}],
    [' \n', {}],
    ['{"constructor":1,"__proto":2}', { constructor: 1, __proto: 2 }],
    ['{"a":"\\u005f"}', { a: '_' }],
  ])('%j is an input', (text, input) => {
    expect(parseInput(text)).toEqual({ input })
  })

  test.each([
    ['{"a":', /JSON/],
    ['[1]', /not a JSON object/],
    ['"x"', /not a JSON object/],
    ['null', /not a JSON object/],
    ['{"__proto__":{"x":1}}', /__proto__/],
    ['{"a":[{"__proto__":{"x":1}}]}', /__proto__/],
    ['{"\\u005f_proto__":{"x":1}}', /__proto__/],
    ['{"constructor":{"prototype":{"x":1}}}', /constructor.prototype/],
  ])('%j is none', (text, words) => {
    const parsed = parseInput(text)
    expect(parsed.input).toEqual({})
    expect(parsed.problem).toMatch(words)
  })

  test.each([[undefined], [null], [{ a: 1 }], [5]])('%j is not even a text', (value) => {
    expect(parseInput(value)).toEqual({ input: {}, problem: 'it is not a text' })
  })
})

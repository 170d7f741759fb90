import { type Message } from '@keepsake/core'
import { describe, expect, test } from 'vitest'
import { toPrompt } from '../src/convert/to-prompt.ts'

const options = { anthropic: { cacheControl: { type: 'ephemeral' } } }
const bytes = new Uint8Array([137, 80, 78, 71])

function user(...content: Exclude<Extract<Message, { role: 'user' }>['content'], string>): Message[] {
  return [{ role: 'user', content }]
}
function assistant(...content: Exclude<Extract<Message, { role: 'assistant' }>['content'], string>): Message[] {
  return [{ role: 'assistant', content }]
}
function result(output: Extract<Message, { role: 'tool' }>['content'][number] & { type: 'tool-result' }): Message[] {
  return [{ role: 'tool', content: [output] }]
}

describe('messages', () => {
  test('texts become text parts; ids and times are left out; options stay', () => {
    expect(
      toPrompt([
        { role: 'system', content: 'Be short.', id: 'm0', createdAtMs: 1, providerOptions: options },
        { role: 'user', content: 'Hi', id: 'm1', createdAtMs: 2 },
        { role: 'assistant', content: 'Hello', id: 'm2', createdAtMs: 3, providerOptions: options },
      ]),
    ).toEqual([
      { role: 'system', content: 'Be short.', providerOptions: options },
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Hello' }], providerOptions: options },
    ])
  })

  test('no list, no prompt', () => {
    expect(toPrompt([])).toEqual([])
  })

  test('the input is not changed, even if it is frozen', () => {
    const part = Object.freeze({ type: 'text' as const, text: 'Hi' })
    const content = [part]
    Object.freeze(content)
    const messages = Object.freeze([Object.freeze({ role: 'user' as const, content })])
    expect(toPrompt(messages)).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }])
  })

  test('tool messages that follow each other become one, with the options of the first on its last part', () => {
    const first = {
      type: 'tool-result' as const,
      toolCallId: 'c1',
      toolName: 'a',
      output: { type: 'text' as const, value: '1' },
    }
    const second = { ...first, toolCallId: 'c2', output: { type: 'text' as const, value: '2' } }
    expect(
      toPrompt([
        { role: 'tool', content: [first], providerOptions: options },
        { role: 'tool', content: [second], providerOptions: { openai: { x: 1 } } },
      ]),
    ).toEqual([
      {
        role: 'tool',
        content: [{ ...first, providerOptions: options }, second],
        providerOptions: { openai: { x: 1 } },
      },
    ])
  })

  test('a message that has nothing left is left out', () => {
    expect(
      toPrompt([
        ...user({ type: 'text', text: '' }),
        ...assistant({ type: 'tool-approval-request', approvalId: 'a', toolCallId: 'c' }),
        { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'a', approved: true }] },
        { role: 'assistant', content: '' },
      ]),
    ).toEqual([])
  })

  test('an empty text of an assistant stays if it has options: signatures come so', () => {
    expect(toPrompt(assistant({ type: 'text', text: '', providerOptions: options }))).toEqual([
      { role: 'assistant', content: [{ type: 'text', text: '', providerOptions: options }] },
    ])
  })
})

describe('parts', () => {
  const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'weather', input: { city: 'Bern' } } as const
  const output = { type: 'json', value: { c: 21 } } as const
  const answered = { type: 'tool-result', toolCallId: 'c1', toolName: 'weather', output } as const
  const rows: [string, Message[], unknown][] = [
    [
      'text with options',
      user({ type: 'text', text: 'Hi', providerOptions: options }),
      { type: 'text', text: 'Hi', providerOptions: options },
    ],
    [
      'image of bytes, no media type',
      user({ type: 'image', image: bytes }),
      { type: 'file', data: { type: 'data', data: bytes }, mediaType: 'image' },
    ],
    [
      'image by URL with media type and options',
      user({ type: 'image', image: new URL('https://x.test/a.png'), mediaType: 'image/png', providerOptions: options }),
      {
        type: 'file',
        data: { type: 'url', url: new URL('https://x.test/a.png') },
        mediaType: 'image/png',
        providerOptions: options,
      },
    ],
    [
      'image by data URL: its own media type wins',
      user({ type: 'image', image: 'data:image/png;base64,iVBORw==' }),
      { type: 'file', data: { type: 'data', data: 'iVBORw==' }, mediaType: 'image/png' },
    ],
    [
      'image by reference',
      user({ type: 'image', image: { openai: 'file-1' } }),
      { type: 'file', data: { type: 'reference', reference: { openai: 'file-1' } }, mediaType: 'image' },
    ],
    [
      'file of base64',
      user({ type: 'file', data: 'aGk=', mediaType: 'text/plain' }),
      { type: 'file', data: { type: 'data', data: 'aGk=' }, mediaType: 'text/plain' },
    ],
    [
      'file by URL text',
      user({ type: 'file', data: 'https://x.test/a.pdf', mediaType: 'application/pdf', filename: 'a.pdf' }),
      {
        type: 'file',
        data: { type: 'url', url: new URL('https://x.test/a.pdf') },
        mediaType: 'application/pdf',
        filename: 'a.pdf',
      },
    ],
    [
      'file of an ArrayBuffer',
      user({ type: 'file', data: new Uint8Array([1]).buffer, mediaType: 'a/b' }),
      { type: 'file', data: { type: 'data', data: new Uint8Array([1]) }, mediaType: 'a/b' },
    ],
    [
      'tagged bytes',
      user({ type: 'file', data: { type: 'data', data: bytes }, mediaType: 'a/b' }),
      { type: 'file', data: { type: 'data', data: bytes }, mediaType: 'a/b' },
    ],
    [
      'tagged buffer',
      user({ type: 'file', data: { type: 'data', data: new Uint8Array([2]).buffer }, mediaType: 'a/b' }),
      { type: 'file', data: { type: 'data', data: new Uint8Array([2]) }, mediaType: 'a/b' },
    ],
    [
      'tagged text',
      user({ type: 'file', data: { type: 'text', text: 'x' }, mediaType: 'text/plain' }),
      { type: 'file', data: { type: 'text', text: 'x' }, mediaType: 'text/plain' },
    ],
    [
      'tagged reference',
      user({ type: 'file', data: { type: 'reference', reference: { openai: 'f' } }, mediaType: 'a/b' }),
      { type: 'file', data: { type: 'reference', reference: { openai: 'f' } }, mediaType: 'a/b' },
    ],
    [
      'tagged URL that was stored, so it is a text',
      user({ type: 'file', data: { type: 'url', url: 'https://x.test/' as unknown as URL }, mediaType: 'a/b' }),
      { type: 'file', data: { type: 'url', url: new URL('https://x.test/') }, mediaType: 'a/b' },
    ],
    [
      'reasoning',
      assistant({ type: 'reasoning', text: 'Hm', providerOptions: options }),
      { type: 'reasoning', text: 'Hm', providerOptions: options },
    ],
    ['reasoning without text', assistant({ type: 'reasoning', text: '' }), { type: 'reasoning', text: '' }],
    [
      'file of an assistant',
      assistant({ type: 'file', data: 'aGk=', mediaType: 'a/b' }),
      { type: 'file', data: { type: 'data', data: 'aGk=' }, mediaType: 'a/b' },
    ],
    [
      'reasoning file',
      assistant({ type: 'reasoning-file', data: { type: 'url', url: 'https://x.test/' }, mediaType: 'a/b' }),
      { type: 'reasoning-file', data: { type: 'url', url: new URL('https://x.test/') }, mediaType: 'a/b' },
    ],
    [
      'custom',
      assistant({ type: 'custom', kind: 'openai.compaction', providerOptions: options }),
      { type: 'custom', kind: 'openai.compaction', providerOptions: options },
    ],
    ['tool call', assistant({ ...call, providerOptions: options }), { ...call, providerOptions: options }],
    ['tool call of the provider', assistant({ ...call, providerExecuted: true }), { ...call, providerExecuted: true }],
    ['tool result of the provider', assistant(answered), answered],
    ['tool result', result({ ...answered, providerOptions: options }), { ...answered, providerOptions: options }],
    [
      'result: text',
      result({ ...answered, output: { type: 'text', value: 'x' } }),
      { ...answered, output: { type: 'text', value: 'x' } },
    ],
    [
      'result: error',
      result({ ...answered, output: { type: 'error-text', value: 'x' } }),
      { ...answered, output: { type: 'error-text', value: 'x' } },
    ],
    [
      'result: error as JSON',
      result({ ...answered, output: { type: 'error-json', value: [1] } }),
      { ...answered, output: { type: 'error-json', value: [1] } },
    ],
    [
      'result: denied',
      result({ ...answered, output: { type: 'execution-denied', reason: 'no' } }),
      { ...answered, output: { type: 'execution-denied', reason: 'no' } },
    ],
    [
      'approval of a tool of the provider',
      [
        {
          role: 'tool',
          content: [
            { type: 'tool-approval-response', approvalId: 'a', approved: false, reason: 'no', providerExecuted: true },
          ],
        },
      ],
      { type: 'tool-approval-response', approvalId: 'a', approved: false, reason: 'no' },
    ],
  ]
  test.each(rows)('%s', (_name, messages, part) => {
    expect(toPrompt(messages)).toEqual([{ role: messages[0]!.role, content: [part] }])
  })
})

import type { Message, ToolOutput } from '@keepsake/core'
import { expectMessages } from './expect-messages.ts'
import { historyCasesOf, type HistoryCase, type HistoryCaseEntry } from './history-case.ts'

const bytes = (): Uint8Array => Uint8Array.from({ length: 256 }, (_, i) => i)
const providerOptions = { acme: { cache: { type: 'ephemeral' }, signature: 'c2ln', list: [1, null, true] } }
/** Values that a careless store changes: keys that objects inherit, empty and nested ones, every kind of text. */
const input: unknown = JSON.parse(
  '{"__proto__":{"a":1},"constructor":"c","":"","list":[[],{},null,0,-1.5,1e21,false],"text":"\\u0000\\u2028😀\\"\\\\"}',
)

const outputs: readonly ToolOutput[] = [
  { type: 'text', value: '' },
  { type: 'text', value: 'sunny' },
  { type: 'json', value: { degrees: 20, nested: [{ a: null }] } },
  { type: 'json', value: null },
  { type: 'error-text', value: 'no such place' },
  { type: 'error-json', value: { code: 7 } },
  { type: 'execution-denied', reason: 'not now' },
  { type: 'execution-denied' },
  {
    type: 'content',
    value: [
      { type: 'text', text: 'a' },
      { type: 'media', data: 'AAEC', mediaType: 'image/png' },
    ],
  },
  { type: 'text', value: 'with options', providerOptions },
]

/** Every kind of message and part, by name. */
const kinds: Record<string, () => Message[]> = {
  'a system message': () => [{ role: 'system', content: 'Be kind.' }],
  'a user message of text': () => [{ role: 'user', content: 'Hello' }],
  'a user message of parts': () => [
    {
      role: 'user',
      content: [
        { type: 'text', text: '' },
        { type: 'text', text: 'a\u0000b\r\n\u{1F600} e\u0301', providerOptions },
        { type: 'image', image: bytes(), mediaType: 'image/png' },
        { type: 'image', image: 'https://example.com/a.png' },
        { type: 'file', data: bytes(), mediaType: 'application/pdf', filename: 'ä b.pdf' },
        { type: 'file', data: 'AAEC', mediaType: 'text/plain' },
        { type: 'file', data: { type: 'data', data: bytes() }, mediaType: 'audio/wav' },
      ],
    },
  ],
  "an assistant's message of text": () => [{ role: 'assistant', content: 'Hello' }],
  "an assistant's message of parts, in their order": () => [
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'hm', providerOptions },
        { type: 'text', text: 'Here is' },
        { type: 'file', data: bytes(), mediaType: 'image/png' },
        { type: 'reasoning-file', data: bytes(), mediaType: 'image/png' },
        { type: 'custom', kind: 'acme.card', providerOptions },
        { type: 'text', text: 'what I found.', providerOptions },
      ],
      providerOptions,
    },
  ],
  'calls with their inputs, and their results': () => [
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Let me look.' },
        { type: 'tool-call', toolCallId: 'c1', toolName: 'look', input, providerOptions },
        { type: 'tool-call', toolCallId: 'c2', toolName: 'look', input: {} },
      ],
    },
    {
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: 'c2', toolName: 'look', output: { type: 'text', value: '2' } },
        {
          type: 'tool-result',
          toolCallId: 'c1',
          toolName: 'look',
          output: { type: 'text', value: '1' },
          providerOptions,
        },
      ],
    },
  ],
  'a call that the provider ran': () => [
    {
      role: 'assistant',
      content: [
        { type: 'tool-call', toolCallId: 'c1', toolName: 'search', input: { q: 'a' }, providerExecuted: true },
        { type: 'tool-result', toolCallId: 'c1', toolName: 'search', output: { type: 'json', value: [1] } },
        { type: 'text', text: 'Found.' },
      ],
    },
  ],
  'an approval, asked for and given': () => [
    {
      role: 'assistant',
      content: [
        { type: 'tool-call', toolCallId: 'c1', toolName: 'pay', input: { amount: 1 } },
        { type: 'tool-approval-request', approvalId: 'a1', toolCallId: 'c1', reason: 'money', isAutomatic: false },
      ],
    },
    { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'a1', approved: true, reason: 'fine' }] },
    {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'pay', output: { type: 'json', value: 1 } }],
    },
  ],
  'an id and a time that were given': () => [
    { role: 'user', content: 'Hello', id: 'm/1 😀', createdAtMs: 1_700_000_000_000, providerOptions },
  ],
}

export const partCases: HistoryCase[] = historyCasesOf('parts', [
  ...Object.entries(kinds).map(([kind, make]): HistoryCaseEntry => [
    `${kind}: loaded as appended`,
    async ({ history, thread }) => {
      await history.append(thread(), make())
      expectMessages(await history.load(thread()), make())
    },
  ]),
  ...outputs.map((output): HistoryCaseEntry => [
    `a result with the output ${JSON.stringify(output)}: loaded as appended`,
    async ({ history, thread }) => {
      const messages: Message[] = [
        { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: {} }] },
        { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'look', output }] },
      ]
      await history.append(thread(), messages)
      expectMessages(await history.load(thread()), messages)
    },
  ]),
])

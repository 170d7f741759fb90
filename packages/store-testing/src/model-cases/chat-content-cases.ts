import { chatMemory, type AnyMessage, type Message, type ToolOutput } from '@keepsake/core'
import { hostileStrings } from '../cases/hostile-strings.ts'
import { shown } from '../cases/rows.ts'
import { expectEqual, expectError } from '../expect.ts'
import { said, say } from './chats.ts'
import { expectSame } from './expect-same.ts'
import { modelCasesOf, type MemoryModelCase, type ModelCaseEntry } from './model-case.ts'
import { HOUR_MS, testClock } from './test-clock.ts'
import { watched } from './watched-store.ts'

const bytes = (): Uint8Array => Uint8Array.from({ length: 256 }, (_, i) => i)
const providerOptions = { acme: { cache: { type: 'ephemeral' }, list: [1, null, true] } }

const outputs: readonly ToolOutput[] = [
  { type: 'text', value: 'sunny' },
  { type: 'error-text', value: 'no such place' },
  { type: 'json', value: { degrees: -0.5, nested: [{ a: null }] } },
  { type: 'error-json', value: { code: 7 } },
  { type: 'execution-denied', reason: 'not now' },
  {
    type: 'content',
    value: [
      { type: 'text', text: 'a' },
      { type: 'media', data: 'AAEC', mediaType: 'image/png' },
    ],
  },
]

/** Every kind of message and part. */
const messages = (): Message[] => [
  { role: 'system', content: 'Be kind.', providerOptions },
  { role: 'user', content: 'Hello' },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'a\u0000b \u{1F600}', providerOptions },
      { type: 'image', image: bytes(), mediaType: 'image/png' },
      { type: 'image', image: 'https://example.com/a.png' },
      { type: 'file', data: bytes(), mediaType: 'application/pdf', filename: 'ä b.pdf' },
      { type: 'file', data: { type: 'data', data: bytes() }, mediaType: 'audio/wav' },
      { type: 'file', data: { acme: 'file-1' }, mediaType: 'text/plain' },
    ],
  },
  {
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'hm', providerOptions },
      { type: 'reasoning-file', data: bytes(), mediaType: 'image/png' },
      { type: 'text', text: '' },
      { type: 'file', data: 'AAEC', mediaType: 'image/png' },
      { type: 'custom', kind: 'acme.card' },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: { q: [1, { a: null }] }, providerExecuted: true },
      { type: 'tool-result', toolCallId: 'c1', toolName: 'look', output: { type: 'text', value: 'x' } },
      { type: 'tool-call', toolCallId: 'c2', toolName: 'pay', input: {} },
      { type: 'tool-approval-request', approvalId: 'p1', toolCallId: 'c2', reason: 'money', isAutomatic: false },
    ],
  },
  { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'p1', approved: false, reason: 'no' }] },
  {
    role: 'tool',
    content: outputs.map((output, i) => ({ type: 'tool-result', toolCallId: `c${i}`, toolName: 'look', output })),
  },
]

/** Values that careless stores and serialisers change or take for something else. */
const odd: unknown = JSON.parse(
  '{"__proto__":{"a":1},"constructor":"c","":"","list":[[],{},null,0,-0,-1.5,1e21,5e-324],"lc":1,"type":"constructor","$ref":"#","text":"\\u0000\\u2028"}',
)

const bare = (stored: readonly AnyMessage[]): unknown[] =>
  stored.map((message) => {
    const { id: _id, createdAtMs: _createdAtMs, ...rest } = message as AnyMessage & { createdAtMs?: number }
    return rest
  })

/** A text of so many bytes. */
const long = (size: number): string => 'x'.repeat(size)

export const chatContentCases: MemoryModelCase[] = modelCasesOf('chat: content', [
  [
    'every kind of message and part comes back deeply equal',
    async ({ store, name }) => {
      const chat = chatMemory(store)
      expectSame(bare(await chat.append(name(), messages())), messages(), 'what the append returns')
      expectSame(bare(await chat.messages(name())), messages(), 'what is read')
    },
  ],
  [
    'URLs come back as texts, buffers as bytes, keys with undefined not at all',
    async ({ store, name }) => {
      const chat = chatMemory<AnyMessage & { [key: string]: unknown }>(store)
      const given = { role: 'user', url: new URL('https://example.com/a'), buffer: bytes().buffer, none: undefined }
      await chat.append(name(), [given])
      const expected = [{ role: 'user', url: 'https://example.com/a', buffer: bytes() }]
      expectSame(bare(await chat.messages(name())), expected, 'what is read')
    },
  ],
  [
    'a UIMessage comes back deeply equal, and so does a type of your own',
    async ({ store, name }) => {
      const chat = chatMemory<AnyMessage & { [key: string]: unknown }>(store)
      const given = [
        {
          id: 'm1',
          role: 'assistant',
          metadata: { model: 'm', tokens: 5 },
          parts: [
            { type: 'step-start' },
            { type: 'reasoning', text: 'hm', state: 'done' },
            { type: 'tool-look', toolCallId: 'c1', state: 'output-available', input: { q: 1 }, output: { a: [null] } },
            { type: 'data-chart', id: 'd', data: { points: [1, 2] } },
          ],
        },
        { id: 'm2', role: 'ghost', mood: odd },
      ]
      await chat.append(name(), given)
      const stored = await chat.messages(name())
      expectSame(
        stored.map(({ createdAtMs: _createdAtMs, ...message }) => message),
        given,
        'what is read',
      )
    },
  ],
  [
    'an emoji that was cut in half comes back as it was',
    async ({ store, name }) => {
      const cut = ['\uD83D', 'a\uDE00b', '👩\u200D'.slice(0, 1), '\uDE00\uD83D']
      const chat = chatMemory(store)
      await chat.append(name(), [
        ...cut.map((text) => say(text)),
        { role: 'assistant', content: [{ type: 'text', text: cut[0]! }] },
      ])
      const stored = await chat.messages(name())
      expectSame(said(stored), [...cut, [{ type: 'text', text: cut[0] }]], 'what is read')
    },
  ],
  [
    'chat: what the caller holds is neither changed nor part of what is stored',
    async ({ store, name }) => {
      const chat = chatMemory<Message & { deep: string[]; bytes: Uint8Array }>(store)
      const message = { ...say('a'), deep: ['x'], bytes: bytes() }
      const list = [message]
      const appending = chat.append(name(), list)
      message.deep.push('later')
      message.bytes[0] = 9
      list.push({ ...say('later'), deep: [], bytes: bytes() })
      const appended = await appending
      appended[0]!.deep.push('later still')
      const stored = await chat.messages(name())
      expectSame(
        stored.map(({ deep, bytes: held }) => [deep, held]),
        [[['x'], bytes()]],
        'what is read',
      )
      expectSame(Object.keys(message), ['role', 'content', 'deep', 'bytes'], "keys of the caller's message")
    },
  ],
  [
    'frozen messages are taken',
    async ({ store, name }) => {
      const frozen = Object.freeze([
        Object.freeze({ role: 'user', content: Object.freeze([Object.freeze({ type: 'text', text: 'a' })]) }),
      ])
      await chatMemory<AnyMessage>(store).append(name(), frozen)
      expectSame(
        said(await chatMemory<AnyMessage>(store).messages(name())),
        [[{ type: 'text', text: 'a' }]],
        'what is read',
      )
    },
  ],
  ...[[4_194_304, 'a message'] as const, [2_200_000, 'two messages'] as const].map(([size, what]): ModelCaseEntry => [
    `${what} of more than 4 MiB together are refused before anything is written`,
    async ({ store, name, rows }) => {
      const notes = watched(store)
      const chat = chatMemory(notes.store)
      const large = what === 'a message' ? [say(long(size))] : [say(long(size), 'm1'), say(long(size), 'm2')]
      await expectError(chat.append(name('new'), large, { owner: name('o'), opId: 'op' }), 'too_large', 'a new thread')
      expectEqual([await rows(), notes.writes.length], [[], 0], 'rows and writes')
      await chat.append(name('t'), [say('a')], { owner: name('o') })
      const before = await rows()
      const error = await expectError(chat.append(name('t'), large), 'too_large', 'a thread that is there')
      expectEqual((error.details['bytes'] as number) > 4_194_304, true, 'the size in details')
      expectEqual(error.details['maxBytes'], store.limits.maxRecBytes, 'the limit in details')
      expectSame(await rows(), before, 'rows')
    },
  ]),
  [
    'too large a message for a thread whose time is up leaves it as it is',
    async ({ store, name, rows }) => {
      const clock = testClock()
      const chat = chatMemory(store, { clock, ttlMs: HOUR_MS })
      await chat.append(name(), [say('a')], { owner: name() })
      clock.pass(HOUR_MS)
      const before = await rows()
      await expectError(chat.append(name(), [say(long(4_194_304))]), 'too_large', 'append')
      expectSame(await rows(), before, 'rows')
    },
  ],
  [
    'a turn of almost 4 MiB comes back whole',
    async ({ store, name }) => {
      const text = '😀'.repeat(1_048_000)
      await chatMemory(store).append(name(), [say(text)])
      expectEqual(said(await chatMemory(store).messages(name()))[0] === text, true, 'whether it is the same')
    },
  ],
  [
    'chat: a caller who has left: nothing is written or read',
    async ({ store, name, rows }) => {
      const chat = chatMemory(store)
      await chat.append(name(), [say('a', 'm1')], { owner: name() })
      const before = await rows()
      const signal = AbortSignal.abort()
      await expectError(chat.append(name('new'), [say('b')], { signal, owner: name() }), 'aborted', 'append')
      await expectError(chat.messages(name(), { signal }), 'aborted', 'messages')
      await expectError(chat.removeMessages(name(), ['m1'], { signal }), 'aborted', 'removeMessages')
      await expectError(chat.clear(name(), { signal }), 'aborted', 'clear')
      await expectError(Promise.resolve(chat.threads({ owner: name(), signal })), 'aborted', 'threads')
      expectSame(await rows(), before, 'rows')
    },
  ],
  ...hostileStrings.map((text): ModelCaseEntry => [
    `${shown(text)} as a thread, an owner, an opId, a message's id and its text`,
    async ({ store, name }) => {
      const [thread, owner] = [name(`t${text}`), name(`o${text}`)]
      const chat = chatMemory(store)
      // An id is never empty.
      const id = text === '' ? 'id' : text
      const append = () => chat.append(thread, [say(text, id)], { owner, opId: id })
      const stored = await append()
      expectSame(await append(), stored, 'the repeat')
      expectSame(await chat.messages(thread, { owner }), stored, 'what is read')
      expectEqual([stored[0]!.id, stored[0]!.content], [id, text], 'id and text')
      expectEqual(
        (await chat.threads({ owner })).items.map((item) => item.id),
        [thread],
        'the list',
      )
      expectEqual(await chat.removeMessages(thread, [id]), 1, 'how many can be removed')
      await chat.clear(thread, { owner })
      expectEqual(await chat.messages(thread), [], 'after a clear')
    },
  ]),
])

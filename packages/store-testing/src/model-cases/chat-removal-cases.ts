import { chatMemory, KeepsakeError, type AnyMessage, type ChatMemory, type Message } from '@keepsake/core'
import { expectEqual, expectError } from '../expect.ts'
import { together } from '../together.ts'
import { isTurnOf, said, say } from './chats.ts'
import { expectSame } from './expect-same.ts'
import { modelCasesOf, type MemoryModelCase, type ModelCaseEntry } from './model-case.ts'
import { intercepted, overtaken, resent, watched } from './watched-store.ts'

/** Two parallel calls with their results in messages of their own, one call with an approval, and plain messages. */
const conversation: readonly Message[] = [
  { ...say('weather?'), id: 'u1' },
  {
    id: 'a1',
    role: 'assistant',
    content: [
      { type: 'text', text: 'Looking.' },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: { city: 'Bern' } },
      { type: 'tool-call', toolCallId: 'c2', toolName: 'look', input: { city: 'Rome' } },
    ],
  },
  { id: 'r1', role: 'tool', content: [resultOf('c1')] },
  { id: 'r2', role: 'tool', content: [resultOf('c2')] },
  { id: 'a2', role: 'assistant', content: 'Sunny.' },
  { id: 'u2', role: 'user', content: 'Pay!' },
  {
    id: 'a3',
    role: 'assistant',
    content: [
      { type: 'tool-call', toolCallId: 'c3', toolName: 'pay', input: {} },
      { type: 'tool-approval-request', approvalId: 'p1', toolCallId: 'c3' },
    ],
  },
  { id: 'ok', role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'p1', approved: true }] },
  { id: 'r3', role: 'tool', content: [resultOf('c3')] },
]

function resultOf(toolCallId: string) {
  return { type: 'tool-result' as const, toolCallId, toolName: 'look', output: { type: 'text' as const, value: 'ok' } }
}

function callOf(toolCallId: string) {
  return { type: 'tool-call' as const, toolCallId, toolName: 'look', input: {} }
}

/** A call in one append, its result and a plain message in the next. */
async function appendCall(chat: ChatMemory<Message>, thread: string): Promise<void> {
  await chat.append(thread, [{ id: 'call', role: 'assistant', content: [callOf('c1')] }])
  await chat.append(thread, [{ id: 'r', role: 'tool', content: [resultOf('c1')] }, say('x', 'x')])
}

const ids = (messages: readonly AnyMessage[]): unknown[] => messages.map(({ id }) => id)

/** What is removed, and what stays: a call goes with its results, an approval with what it approves. */
const removals: readonly (readonly [readonly string[], readonly string[]])[] = [
  [['u1'], ['a1', 'r1', 'r2', 'a2', 'u2', 'a3', 'ok', 'r3']],
  [['a1'], ['u1', 'a2', 'u2', 'a3', 'ok', 'r3']],
  [['r1'], ['u1', 'a2', 'u2', 'a3', 'ok', 'r3']],
  [
    ['r2', 'a2'],
    ['u1', 'u2', 'a3', 'ok', 'r3'],
  ],
  [['a3'], ['u1', 'a1', 'r1', 'r2', 'a2', 'u2']],
  [['ok'], ['u1', 'a1', 'r1', 'r2', 'a2', 'u2']],
  [
    ['r3', 'r1'],
    ['u1', 'a2', 'u2'],
  ],
  [
    ['u1', 'u1', 'none'],
    ['a1', 'r1', 'r2', 'a2', 'u2', 'a3', 'ok', 'r3'],
  ],
]

const removalCases: ModelCaseEntry[] = removals.flatMap(([gone, stays]) =>
  (['one append', 'an append each'] as const).map((how): ModelCaseEntry => [
    `removing ${gone.join(', ')} from ${how} leaves ${stays.join(', ')}`,
    async ({ store, name }) => {
      const chat = chatMemory(store)
      if (how === 'one append') await chat.append(name(), conversation)
      else for (const message of conversation) await chat.append(name(), [message])
      const expected = conversation.filter(({ id }) => stays.includes(id!))
      expectEqual(await chat.removeMessages(name(), gone), conversation.length - stays.length, 'how many went')
      const left = await chat.messages(name())
      expectSame(
        left.map(({ createdAtMs: _createdAtMs, ...message }) => message),
        expected,
        'what is left',
      )
      expectEqual(await chat.removeMessages(name(), gone), 0, 'how many go the second time')
    },
  ]),
)

export const chatRemovalCases: MemoryModelCase[] = modelCasesOf('chat: removing messages', [
  ...removalCases,
  [
    'parts of a UIMessage that are one call go together',
    async ({ store, name }) => {
      const chat = chatMemory<AnyMessage & { parts: unknown[] }>(store)
      await chat.append(name(), [
        { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'weather?' }] },
        {
          id: 'm2',
          role: 'assistant',
          parts: [{ type: 'tool-look', toolCallId: 'c1', state: 'input-available', input: {} }],
        },
        {
          id: 'm3',
          role: 'assistant',
          parts: [{ type: 'tool-look', toolCallId: 'c1', state: 'output-available', output: 1 }],
        },
      ])
      expectEqual(await chat.removeMessages(name(), ['m3']), 2, 'how many went')
      expectEqual(ids(await chat.messages(name())), ['m1'], 'what is left')
    },
  ],
  [
    'ids that the thread does not have, and threads that are not there, change nothing',
    async ({ store, name, rows }) => {
      const chat = chatMemory(store)
      await chat.append(name(), [say('a', 'm1')], { owner: name() })
      const before = await rows()
      for (const id of ['m2', 'M1', 'm1 ', '', '__proto__', '%']) {
        expectEqual(await chat.removeMessages(name(), [id]), 0, `how many went for ${JSON.stringify(id)}`)
      }
      expectEqual(await chat.removeMessages(name(), []), 0, 'how many went for none')
      expectEqual(await chat.removeMessages(name('other'), ['m1']), 0, 'how many went from another thread')
      expectSame(await rows(), before, 'rows')
    },
  ],
  [
    'a thread without messages is not listed, keeps its owner and goes on',
    async ({ store, name }) => {
      const chat = chatMemory(store)
      const messages = await chat.append(name('t'), [say('a'), say('b')], { owner: name('o') })
      expectEqual(
        await chat.removeMessages(
          name('t'),
          messages.map(({ id }) => id),
        ),
        2,
        'how many went',
      )
      expectEqual((await chat.threads({ owner: name('o') })).items, [], 'the list')
      await expectError(chat.append(name('t'), [say('x')], { owner: name('p') }), 'wrong_owner', 'another owner')
      await chat.append(name('t'), [say('c')], { owner: name('o') })
      expectEqual(said(await chat.messages(name('t'))), ['c'], 'the thread')
      expectEqual((await chat.threads({ owner: name('o') })).items.length, 1, 'the list afterwards')
    },
  ],
  [
    'of 8 who remove the same messages at once each counts what it took: together they count all',
    async ({ store, name }) => {
      const chat = chatMemory(store)
      for (let i = 0; i < 4; i++) await chat.append(name(), [say('a', `a${i}`), say('b', `b${i}`)])
      const counts = await together(
        Array.from({ length: 8 }, () => chat.removeMessages(name(), ['a0', 'a1', 'a2', 'b3'])),
      )
      expectEqual(
        counts.reduce((sum, count) => sum + count, 0),
        4,
        'counted together',
      )
      expectEqual(ids(await chat.messages(name())), ['b0', 'b1', 'b2', 'a3'], 'what is left')
    },
  ],
  [
    'two who remove different messages of one append at once: both are gone',
    async ({ store, name }) => {
      const chat = chatMemory(store)
      await chat.append(name(), [say('a', 'a'), say('b', 'b'), say('c', 'c')])
      const slow = overtaken(store, isTurnOf(name()), () => chat.removeMessages(name(), ['a']))
      expectEqual(await chatMemory(slow).removeMessages(name(), ['b']), 1, 'how many went')
      expectEqual(ids(await chat.messages(name())), ['c'], 'what is left')
    },
  ],
  ...[['call'], ['r'], ['x']].map((first): ModelCaseEntry => [
    `a call and a neighbour of its result are removed at once, ${first[0]} first: no result stays without its call`,
    async ({ store, name }) => {
      const chat = chatMemory(store)
      await appendCall(chat, name())
      const other = first[0] === 'x' ? 'call' : 'x'
      const slow = overtaken(store, isTurnOf(name()), () => chat.removeMessages(name(), first))
      await chatMemory(slow).removeMessages(name(), [other])
      expectEqual(ids(await chat.messages(name())), [], 'what is left')
    },
  ]),
  [
    'a removal whose rows are not all written leaves no result without its call, and can be repeated',
    async ({ store, name }) => {
      const chat = chatMemory(store)
      await appendCall(chat, name())
      let writes = 0
      const breaking = intercepted(store, async (_rows, send) => {
        if (++writes === 2) throw new KeepsakeError('unavailable', 'The network is down.')
        return send()
      })
      await expectError(chatMemory(breaking).removeMessages(name(), ['call']), 'unavailable', 'the first attempt')
      expectEqual(ids(await chat.messages(name())), ['call', 'x'], 'what is left')
      expectEqual(await chat.removeMessages(name(), ['call']), 1, 'how many go the second time')
      expectEqual(ids(await chat.messages(name())), ['x'], 'what is left in the end')
    },
  ],
  [
    'a result whose call is gone goes with the next removal',
    async ({ store, name }) => {
      const chat = chatMemory(store)
      await chat.append(name(), [{ id: 'r', role: 'tool', content: [resultOf('c1')] }, say('a', 'a'), say('b', 'b')])
      expectEqual(await chat.removeMessages(name(), ['a']), 2, 'how many went')
      expectEqual(ids(await chat.messages(name())), ['b'], 'what is left')
    },
  ],
  [
    'where every turn calls its tool by the same id, one turn is removed and the others stay',
    async ({ store, name }) => {
      const chat = chatMemory(store)
      for (const turn of ['1', '2', '3']) {
        await chat.append(name(), [
          say('weather?', `u${turn}`),
          { id: `a${turn}`, role: 'assistant', content: [callOf('call_0')] },
          { id: `r${turn}`, role: 'tool', content: [resultOf('call_0')] },
        ])
      }
      expectEqual(await chat.removeMessages(name(), ['a2']), 2, 'how many went')
      expectEqual(ids(await chat.messages(name())), ['u1', 'a1', 'r1', 'u2', 'u3', 'a3', 'r3'], 'what is left')
    },
  ],
  [
    'an append that lands while messages are removed stays',
    async ({ store, name }) => {
      const chat = chatMemory(store)
      await chat.append(name(), [say('a', 'a'), say('b', 'b')])
      const slow = overtaken(store, isTurnOf(name()), () => chat.append(name(), [say('c', 'c')]))
      await chatMemory(slow).removeMessages(name(), ['a'])
      expectEqual(ids(await chat.messages(name())), ['b', 'c'], 'what is left')
    },
  ],
  [
    'a write that is sent twice removes once, and brings nothing back',
    async ({ store, name }) => {
      const chat = chatMemory(store)
      await chat.append(name(), [say('a', 'a'), say('b', 'b'), say('c', 'c')])
      const twice = resent(store, isTurnOf(name()), () => chat.removeMessages(name(), ['b']))
      await chatMemory(twice).removeMessages(name(), ['a'])
      expectEqual(ids(await chat.messages(name())), ['c'], 'what is left')
    },
  ],
  [
    'an append that arrives once more does not bring back what was removed',
    async ({ store, name }) => {
      const notes = watched(store)
      await chatMemory(notes.store).append(name(), [say('a', 'a'), say('b', 'b')], { owner: name() })
      const chat = chatMemory(store)
      await chat.removeMessages(name(), ['a'])
      for (const rows of notes.writes) await store.write(rows)
      expectEqual(ids(await chat.messages(name())), ['b'], 'after some were removed')
      await chat.removeMessages(name(), ['b'])
      for (const rows of notes.writes) await store.write(rows)
      expectEqual(await chat.messages(name()), [], 'after all were removed')
    },
  ],
  [
    'the neighbour of a message that is nested as deep as it may be can be removed',
    async ({ store, name }) => {
      let deep: unknown = 'core'
      for (let i = 0; i < 499; i++) deep = [deep]
      const chat = chatMemory<AnyMessage & { deep?: unknown }>(store)
      await chat.append(name(), [
        { id: 'a', role: 'user', deep },
        { id: 'b', role: 'user' },
      ])
      expectEqual(await chat.removeMessages(name(), ['b']), 1, 'how many went')
      expectSame((await chat.messages(name()))[0]!.deep, deep, 'what is left')
    },
  ],
])

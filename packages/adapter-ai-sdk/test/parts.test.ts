import type { LanguageModelV4Content } from '@ai-sdk/provider'
import { chatMemory, inMemoryStore } from '@keepsake/core'
import { sqliteStore } from '@keepsake/store-sql/sqlite'
import { scriptedModel, text } from '@keepsake/store-testing'
import { createHistory } from '@keepsake/strategies'
import { generateText, streamText, tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { withHistory } from '../src/index.ts'
import { bare, linesOf, promptsOf, remember, setup } from './support.ts'

const signed = { anthropic: { signature: 's' } }
const PNG = new Uint8Array([137, 80, 78, 71])

/** An answer with every kind of part that a model may give. */
const ANSWER: LanguageModelV4Content[] = [
  { type: 'reasoning', text: 'Hm.', providerMetadata: signed },
  { type: 'reasoning-file', mediaType: 'image/png', data: { type: 'data', data: 'iVBORw==' } },
  {
    type: 'tool-call',
    toolCallId: 'p1',
    toolName: 'search',
    input: '{"q":"x"}',
    providerExecuted: true,
    dynamic: true,
  },
  {
    type: 'tool-result',
    toolCallId: 'p1',
    toolName: 'search',
    result: { preview: 1 },
    preliminary: true,
    dynamic: true,
  },
  { type: 'tool-result', toolCallId: 'p1', toolName: 'search', result: { hits: 1 }, dynamic: true },
  { type: 'source', sourceType: 'url', id: 's1', url: 'https://x.test' },
  { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'iVBORw==' } },
  { type: 'custom', kind: 'openai.note', providerMetadata: { openai: { id: 'n1' } } },
  { type: 'text', text: 'Here.', providerMetadata: { openai: { itemId: 'i1' } } },
]
const STORED = [
  { type: 'reasoning', text: 'Hm.', providerOptions: signed },
  { type: 'reasoning-file', mediaType: 'image/png', data: { type: 'data', data: 'iVBORw==' } },
  { type: 'tool-call', toolCallId: 'p1', toolName: 'search', input: { q: 'x' }, providerExecuted: true },
  { type: 'tool-result', toolCallId: 'p1', toolName: 'search', output: { type: 'json', value: { hits: 1 } } },
  { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'iVBORw==' } },
  { type: 'custom', kind: 'openai.note', providerOptions: { openai: { id: 'n1' } } },
  { type: 'text', text: 'Here.', providerOptions: { openai: { itemId: 'i1' } } },
]

describe.each([
  ['memory', () => inMemoryStore()],
  ['SQLite', () => sqliteStore({ path: ':memory:' })],
])('on %s', (_name, open) => {
  test.each([false, true])('every part of an answer is stored and sent again (stream: %s)', async (stream) => {
    await using store = open()
    const one = setup([ANSWER, 'Fine.'], { store })
    const call = { model: one.remembering, prompt: 'Draw', providerOptions: withHistory('t1') }
    if (stream) await streamText(call).consumeStream()
    else await generateText(call)
    expect(bare(await one.chat.messages('t1'))).toEqual([
      { role: 'user', content: 'Draw' },
      { role: 'assistant', content: STORED },
    ])
    await generateText({ ...call, prompt: 'And?' })
    expect(one.model.calls[1]!.prompt[1]).toEqual({ role: 'assistant', content: STORED })
  })

  test('files and images of a question are stored and sent again, as bytes and as URLs', async () => {
    await using store = open()
    const one = setup(['Seen.', 'Fine.'], { store })
    const url = new URL('https://x.test/a.pdf')
    await generateText({
      model: one.remembering,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look', providerOptions: signed },
            { type: 'file', data: PNG, mediaType: 'image/png' },
            { type: 'file', data: url, mediaType: 'application/pdf', filename: 'a.pdf' },
          ],
          providerOptions: { openai: { x: 1 } },
        },
      ],
      providerOptions: withHistory('t1'),
    })
    await generateText({ model: one.remembering, prompt: 'And?', providerOptions: withHistory('t1') })
    const [first, second] = one.model.calls
    expect(second!.prompt[0]).toEqual(first!.prompt[0])
    expect(second!.prompt[0]).toMatchObject({
      role: 'user',
      content: [
        { type: 'text', text: 'Look', providerOptions: signed },
        { type: 'file', data: { type: 'data', data: PNG }, mediaType: 'image/png' },
        { type: 'file', data: { type: 'url', url }, mediaType: 'application/pdf', filename: 'a.pdf' },
      ],
      providerOptions: { openai: { x: 1 } },
    })
  })
})

test.each([false, true])('a served answer has every part (stream: %s)', async (stream) => {
  // ai keeps previews in its messages; we do not.
  const one = setup([ANSWER.filter((part) => part.type !== 'tool-result' || part.preliminary !== true)])
  const call = { model: one.remembering, prompt: 'Draw', providerOptions: withHistory('t1', { opId: 'req-1' }) }
  const contents: unknown[] = []
  for (let i = 0; i < 2; i++) {
    const messages = stream ? await streamText(call).responseMessages : (await generateText(call)).responseMessages
    contents.push(messages.map(({ content }) => content))
  }
  expect(one.model.calls).toHaveLength(1)
  expect(contents[1]).toEqual(contents[0])
})

test('system messages come first, are those of the call, and are never stored', async () => {
  const one = setup(['One.', 'Two.'])
  const call = { model: one.remembering, providerOptions: withHistory('t1') }
  await generateText({ ...call, system: 'Be kind.', prompt: 'First' })
  await generateText({ ...call, system: 'Be short.', prompt: 'Second' })
  expect(promptsOf(one.model)).toEqual([
    ['system: Be kind.', 'user: First'],
    ['system: Be short.', 'user: First', 'assistant: One.', 'user: Second'],
  ])
  expect(await linesOf(one)).toEqual(['user: First', 'assistant: One.', 'user: Second', 'assistant: Two.'])
})

test('options of a system message reach the provider, and one that the thread holds is sent behind it', async () => {
  const chat = chatMemory(inMemoryStore())
  await chat.append('t1', [
    { role: 'user', content: 'Before' },
    { role: 'system', content: 'Of the thread.' },
    { role: 'assistant', content: 'Yes.' },
  ])
  const model = scriptedModel(['One.'])
  const cached = { anthropic: { cacheControl: { type: 'ephemeral' } } }
  await generateText({
    model: remember(model, createHistory({ chat })),
    instructions: { role: 'system', content: 'Of the call.', providerOptions: cached },
    prompt: 'Hi',
    providerOptions: withHistory('t1'),
  })
  expect(promptsOf(model)[0]).toEqual([
    'system: Of the call.',
    'system: Of the thread.',
    'user: Before',
    'assistant: Yes.',
    'user: Hi',
  ])
  expect(model.calls[0]!.prompt[0]!.providerOptions).toEqual(cached)
})

describe('a call of the provider whose result comes with a later answer', () => {
  const pending = { toolCallId: 'p1', toolName: 'run', providerExecuted: true } as const
  const tools = {
    run: {
      type: 'provider' as const,
      isProviderExecuted: true as const,
      id: 'test.run' as const,
      args: {},
      inputSchema: z.object({}),
      outputSchema: z.string(),
      supportsDeferredResults: true,
    },
    mine: tool({ inputSchema: z.object({}), execute: async () => 'mine!' }),
  }

  test.each([
    [
      'beside one of our own',
      [
        { type: 'tool-call' as const, ...pending, input: '{}' },
        { type: 'tool-call' as const, toolCallId: 'c1', toolName: 'mine', input: '{}' },
      ],
      ['assistant: call p1 {}, call c1 {}', 'tool: result c1 mine!'],
    ],
    ['alone', [{ type: 'tool-call' as const, ...pending, input: '{}' }], ['assistant: call p1 {}']],
  ])('%s', async (_name, calls, lines) => {
    const { history, chat } = setup([])
    const model = scriptedModel([
      { content: calls, finishReason: 'tool-calls' },
      [{ type: 'tool-result', ...pending, result: 'ran' }, text('Done.')],
      'Fine.',
    ])
    const call = {
      model: remember(model, history),
      tools,
      stopWhen: ({ steps }: { steps: unknown[] }) => steps.length > 3,
      providerOptions: withHistory('t1'),
    }
    expect((await generateText({ ...call, prompt: 'Go' })).text).toBe('Done.')
    const turn = ['user: Go', ...lines, 'assistant: result p1 ran, Done.']
    expect(await linesOf({ chat })).toEqual(turn)
    await generateText({ ...call, prompt: 'And?' })
    expect(promptsOf(model)).toEqual([turn.slice(0, 1), turn.slice(0, -1), [...turn, 'user: And?']])
  })
})

test('a call whose input is no JSON is stored as one without input, and the turn goes on', async () => {
  const { history, chat } = setup([])
  const model = scriptedModel([[{ type: 'tool-call', toolCallId: 'c1', toolName: 'mine', input: '{"q":' }], 'Done.'])
  const result = await generateText({
    model: remember(model, history),
    prompt: 'Go',
    tools: { mine: tool({ inputSchema: z.object({}), execute: async () => 'mine!' }) },
    stopWhen: ({ steps }) => steps.length > 3,
    providerOptions: withHistory('t1'),
  })
  expect(result.text).toBe('Done.')
  const lines = await linesOf({ chat })
  expect(lines).toHaveLength(4)
  expect(lines[1]).toBe('assistant: call c1 {}')
  expect(lines[2]).toMatch(/^tool: result c1 .*JSON/s)
})

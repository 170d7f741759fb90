import { inMemoryStore, type Message } from '@keepsake/core'
import { scriptedModel, toolCall } from '@keepsake/store-testing'
import { jsonSchema, tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { createAgent, type Middleware } from '../src/index.ts'
import { bare, fine } from './support.ts'

/*
 * What is stored is what was said: tools, hooks, models, readers and callers may do what they like to what they were given.
 */

const anything = jsonSchema<any>({ type: 'object' })

/** Ruins everything in it that can be changed, however deep. */
function ruin(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  for (const inner of Object.values(value)) ruin(inner)
  const target = value as Record<string, unknown>
  for (const key of Object.keys(target)) if (typeof target[key] !== 'object') target[key] = 'ruined'
  target['at'] = new Date(0)
}

const said: unknown[] = [
  { role: 'user', content: [{ type: 'text', text: 'Go', providerOptions: { x: { a: 'b' } } }] },
  {
    role: 'assistant',
    content: [{ type: 'tool-call', toolCallId: 'call-1', toolName: 't', input: { deep: { list: [1] } } }],
  },
  {
    role: 'tool',
    content: [
      { type: 'tool-result', toolCallId: 'call-1', toolName: 't', output: { type: 'json', value: { got: [2] } } },
    ],
  },
  { role: 'assistant', content: [{ type: 'text', text: 'Ok.' }] },
]
const input = (): Message[] => [
  { role: 'user', content: [{ type: 'text', text: 'Go', providerOptions: { x: { a: 'b' } } }] },
]
const answers = () => [toolCall('t', { deep: { list: [1] } }), 'Ok.']
const harmless = () => ({ t: tool({ inputSchema: anything, execute: async () => ({ got: [2] }) }) })

describe('what is stored is what was said, whoever changes what they were given', () => {
  test('a tool: its input, its messages, and later its result', async () => {
    const results: unknown[] = []
    const agent = createAgent({
      model: scriptedModel(answers()),
      store: inMemoryStore(),
      tools: {
        t: tool({
          inputSchema: anything,
          execute: async (given, { messages }) => {
            ruin(given)
            messages.forEach(ruin)
            messages.length = 0
            results.push({ got: [2] })
            return results[0]
          },
        }),
      },
      middleware: [
        { name: 'late', start: () => ({ wrapModel: (request, next) => (results.forEach(ruin), next(request)) }) },
      ],
    })
    const result = await agent.run({ threadId: 't', messages: input() })
    expect(bare(result.messages)).toEqual(said)
    expect(bare(await agent.messages('t'))).toEqual(said)
  })

  const hooks: [string, Middleware][] = [
    [
      'prepare',
      {
        name: 'redact',
        start: () => ({
          prepare(messages) {
            const sent = [...messages]
            ;(messages as Message[]).forEach(ruin)
            ;(messages as Message[]).length = 0
            return sent.map((message) => ({ ...message, role: 'user', content: 'Redacted.' }))
          },
        }),
      },
    ],
    [
      'wrapModel, before the call',
      {
        name: 'before',
        start: () => ({
          async wrapModel(request, next) {
            const answer = await next(request)
            request.prompt.forEach(ruin)
            return answer
          },
        }),
      },
    ],
    [
      'wrapTool',
      {
        name: 'around',
        start: () => ({
          async wrapTool(call, next) {
            const output = await next(call)
            ruin(call)
            return output
          },
        }),
      },
    ],
    ['end', { name: 'after', start: () => ({ end: (result) => result.messages.forEach(ruin) }) }],
  ]
  test.each(hooks)('a middleware: %s', async (_name, middleware) => {
    const agent = createAgent({
      model: scriptedModel(answers()),
      store: inMemoryStore(),
      tools: harmless(),
      middleware: [middleware],
    })
    await agent.run({ threadId: 't', messages: input() })
    expect(bare(await agent.messages('t'))).toEqual(said)
  })

  test('a reader of the stream', async () => {
    const agent = createAgent({ model: scriptedModel(answers()), store: inMemoryStore(), tools: harmless() })
    const run = agent.stream({ threadId: 't', messages: input() })
    for await (const part of run.stream) ruin(part)
    await run.result
    expect(bare(await agent.messages('t'))).toEqual(said)
  })

  test('the caller, once run or stream was called', async () => {
    const agent = createAgent({ model: fine(), store: inMemoryStore() })
    const messages: Message[] = [{ role: 'user', content: 'Asked' }]
    const running = agent.run({ threadId: 'run', messages })
    const streaming = agent.stream({ threadId: 'stream', messages })
    messages[0]!.content = 'Changed'
    messages.push({ role: 'user', content: 'More' })
    await running
    await streaming.result
    for (const threadId of ['run', 'stream'])
      expect((await agent.messages(threadId)).map(({ content }) => content)[0]).toBe('Asked')
    expect(await agent.messages('stream')).toHaveLength(2)
  })

  test('input that cannot be stored is refused before anything is called', async () => {
    const model = fine()
    const agent = createAgent({ model, store: inMemoryStore() })
    const providerOptions = { x: { at: new Date(0) } } as never
    await expect(
      agent.run({ threadId: 't', messages: [{ role: 'user', content: 'Hi', providerOptions }] }),
    ).rejects.toMatchObject({ code: 'invalid_value', message: expect.stringContaining('messages[0]') })
    expect(model.calls).toEqual([])
  })
})

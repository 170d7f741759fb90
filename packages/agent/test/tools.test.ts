import { inMemoryStore, type Message, type ToolOptions } from '@keepsake/core'
import { scriptedModel, toolCall } from '@keepsake/store-testing'
import { jsonSchema, tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../src/index.ts'
import { answerCallIds, threadCallIds } from '../src/tools/call-ids.ts'
import { errorText } from '../src/tools/error-text.ts'
import { testClock } from './support.ts'

const empty = z.object({})

/** Runs one call of the tool `t` and gives the output that the thread keeps. */
async function outputOf(t: object, input: object = {}): Promise<unknown> {
  const agent = createAgent({
    model: scriptedModel([toolCall('t', input as never), 'Ok.']),
    store: inMemoryStore(),
    tools: { t: t as never },
  })
  const { messages } = await agent.run({ threadId: 't', prompt: 'Go' })
  const part = (messages[2] as Extract<Message, { role: 'tool' }>).content[0]!
  return part.type === 'tool-result' ? part.output : part
}

describe('what a tool gives', () => {
  const rows: [string, unknown, unknown][] = [
    ['a text', 'x', { type: 'text', value: 'x' }],
    ['a number', 5, { type: 'json', value: 5 }],
    ['an object', { a: [1, null] }, { type: 'json', value: { a: [1, null] } }],
    ['nothing', undefined, { type: 'json', value: null }],
    ['a Date, as its text', new Date(0), { type: 'json', value: '1970-01-01T00:00:00.000Z' }],
    ['NaN, as null', { n: Number.NaN }, { type: 'json', value: { n: null } }],
    ['a function, as null', () => 1, { type: 'json', value: null }],
  ]
  test.each(rows)('%s', async (_name, output, expected) => {
    expect(await outputOf({ inputSchema: empty, execute: async () => output })).toEqual(expected)
  })

  test('what is not a promise', async () => {
    expect(await outputOf({ inputSchema: empty, execute: () => 'x' })).toEqual({ type: 'text', value: 'x' })
  })

  test('the last value of an async iterable', async () => {
    async function* execute(): AsyncGenerator<string> {
      yield 'half'
      yield 'whole'
    }
    expect(await outputOf({ inputSchema: empty, execute })).toEqual({ type: 'text', value: 'whole' })
  })

  test('an async iterable of nothing', async () => {
    async function* execute(): AsyncGenerator<string> {}
    expect(await outputOf({ inputSchema: empty, execute })).toEqual({ type: 'json', value: null })
  })

  test('toModelOutput decides what the model sees', async () => {
    const seen: unknown[] = []
    const output = await outputOf(
      tool({
        inputSchema: z.object({ n: z.number() }),
        execute: async ({ n }) => n * 2,
        toModelOutput: (options) => {
          seen.push(options)
          return { type: 'content', value: [{ type: 'text', text: `It is ${options.output}.` }] }
        },
      }),
      { n: 4 },
    )
    expect(seen).toEqual([{ toolCallId: 'call-1', input: { n: 4 }, output: 8 }])
    expect(output).toEqual({ type: 'content', value: [{ type: 'text', text: 'It is 8.' }] })
  })
})

describe('what goes wrong is handed to the model', () => {
  const cycle: { self?: unknown } = {}
  cycle.self = cycle
  const rows: [string, object, RegExp][] = [
    ['an error', { inputSchema: empty, execute: async () => Promise.reject(new Error('No network')) }, /^No network$/],
    [
      'an error that is thrown at once',
      {
        inputSchema: empty,
        execute: () => {
          throw new Error('Oh')
        },
      },
      /^Oh$/,
    ],
    ['a text that is thrown', { inputSchema: empty, execute: async () => Promise.reject('Oh') }, /^Oh$/],
    [
      'nothing that is thrown',
      { inputSchema: empty, execute: async () => Promise.reject(undefined) },
      /^unknown error$/,
    ],
    [
      'an iterable that fails',
      {
        inputSchema: empty,
        async *execute() {
          yield 1
          throw new Error('Half way')
        },
      },
      /^Half way$/,
    ],
    ['a cycle', { inputSchema: empty, execute: async () => cycle }, /circular/],
    ['a BigInt', { inputSchema: empty, execute: async () => 5n }, /BigInt/],
    [
      'toModelOutput that throws',
      {
        inputSchema: empty,
        execute: async () => 1,
        toModelOutput: () => {
          throw new Error('Oh')
        },
      },
      /^Oh$/,
    ],
    [
      'toModelOutput that gives nothing',
      { inputSchema: empty, execute: async () => 1, toModelOutput: () => undefined },
      /needs a type/,
    ],
    [
      'a wrong input',
      { inputSchema: z.object({ city: z.string() }), execute: async () => 1 },
      /^The input of the tool "t" is wrong: city: .*string/,
    ],
    [
      'a schema that fails',
      {
        inputSchema: jsonSchema({}, { validate: () => ({ success: false, error: new Error('Nope') }) }),
        execute: async () => 1,
      },
      /is wrong: Nope\.$/,
    ],
    [
      'a schema that throws',
      {
        inputSchema: jsonSchema(
          {},
          {
            validate: () => {
              throw new Error('Nope')
            },
          },
        ),
        execute: async () => 1,
      },
      /Nope/,
    ],
  ]
  test.each(rows)('%s', async (_name, t, words) => {
    const output = (await outputOf(t)) as { type: string; value: string }
    expect(output.type).toBe('error-text')
    expect(output.value).toMatch(words)
  })

  test('an unknown tool is told with those that there are', async () => {
    const agent = createAgent({
      model: scriptedModel([toolCall('nope', {}), 'Ok.']),
      history: 'none',
      tools: {
        a: tool({ inputSchema: empty, execute: async () => 1 }),
        b: tool({ inputSchema: empty, execute: async () => 1 }),
      },
    })
    const { messages } = await agent.run({ threadId: 't', prompt: 'Go' })
    expect(messages[2]!.content).toEqual([
      {
        type: 'tool-result',
        toolCallId: 'call-1',
        toolName: 'nope',
        output: { type: 'error-text', value: 'There is no tool "nope". There is: a, b.' },
      },
    ])
  })

  test('an error text is what ai makes of an error', () => {
    expect(errorText({ code: 1 })).toBe('{"code":1}')
    expect(errorText(cycle)).toBe('unknown error')
    expect(errorText(Symbol('x'))).toBe('unknown error')
  })
})

describe('how a tool is called', () => {
  test('with the checked input, the context and the run; the thread keeps what the model said', async () => {
    const calls: { input: unknown; options: ToolOptions }[] = []
    const agent = createAgent({
      model: scriptedModel([toolCall('t', { when: '2026-01-01', extra: 1 }), 'Ok.']),
      store: inMemoryStore(),
      context: z.object({ userId: z.string() }),
      clock: testClock(),
      tools: {
        t: tool({
          inputSchema: z.object({ when: z.string().transform((text) => new Date(text)) }),
          execute: async (input, options) => void calls.push({ input, options: options as ToolOptions }),
        }),
      },
    })
    const result = await agent.run({ threadId: 't', prompt: 'Go', context: { userId: 'ada' }, runId: 'r' })
    const { input, options } = calls[0]!
    expect(input).toEqual({ when: new Date('2026-01-01') })
    expect(options).toMatchObject({
      toolCallId: 'call-1',
      context: { userId: 'ada' },
      idempotencyKey: 'r/call-1',
      messages: [{ role: 'user', content: 'Go' }],
      run: { id: 'r', threadId: 't', owner: undefined, context: { userId: 'ada' }, nowMs: Date.UTC(2026, 0, 1) },
    })
    expect(options.abortSignal).toBe(options.run!.signal)
    expect(options.abortSignal!.aborted).toBe(false)
    expect(await options.run!.step('s', async () => 5)).toBe(5)
    expect(result.messages[1]!.content).toMatchObject([{ input: { when: '2026-01-01', extra: 1 } }])
  })

  test('messages are those that the model was sent, without the answer that called', async () => {
    const seen: unknown[] = []
    const agent = createAgent({
      model: scriptedModel([toolCall('t', {}), toolCall('t', {}), 'Ok.']),
      history: 'none',
      instructions: 'Be short.',
      tools: {
        t: tool({
          inputSchema: empty,
          execute: async (_i, { messages }) => void seen.push(messages.map(({ role }) => role)),
        }),
      },
    })
    await agent.run({ threadId: 't', prompt: 'Go' })
    expect(seen).toEqual([['user'], ['user', 'assistant', 'tool']])
  })

  test('calls of one answer run at the same time; results come in the order of the calls', async () => {
    const order: string[] = []
    const bothStarted = Promise.withResolvers<void>()
    const slowIsDone = Promise.withResolvers<void>()
    const agent = createAgent({
      model: scriptedModel([[toolCall('first', {}), toolCall('second', {})], 'Ok.']),
      history: 'none',
      tools: {
        first: tool({
          inputSchema: empty,
          execute: async () => {
            await bothStarted.promise
            await slowIsDone.promise
            order.push('first')
            return 1
          },
        }),
        second: tool({
          inputSchema: empty,
          execute: async () => {
            bothStarted.resolve()
            order.push('second')
            slowIsDone.resolve()
            return 2
          },
        }),
      },
    })
    const { messages } = await agent.run({ threadId: 't', prompt: 'Go' })
    expect(order).toEqual(['second', 'first'])
    expect(messages[2]!.content).toMatchObject([
      { toolCallId: 'call-1', output: { value: 1 } },
      { toolCallId: 'call-2', output: { value: 2 } },
    ])
  })

  test('one that fails does not keep the others from their results', async () => {
    const agent = createAgent({
      model: scriptedModel([[toolCall('bad', {}), toolCall('good', {})], 'Ok.']),
      history: 'none',
      tools: {
        bad: tool({ inputSchema: empty, execute: async () => Promise.reject(new Error('Oh')) }),
        good: tool({ inputSchema: empty, execute: async () => 'Yes' }),
      },
    })
    const { messages } = await agent.run({ threadId: 't', prompt: 'Go' })
    expect(messages[2]!.content).toMatchObject([
      { output: { type: 'error-text', value: 'Oh' } },
      { output: { type: 'text', value: 'Yes' } },
    ])
  })

  test('a description may depend on the context', async () => {
    const model = scriptedModel(['Ok.', 'Ok.'])
    const Context = z.object({ lang: z.string() })
    const agent = createAgent({
      model,
      history: 'none',
      context: Context,
      tools: {
        t: tool({
          description: ({ context }) => `In ${context.lang}`,
          contextSchema: Context,
          inputSchema: empty,
          execute: async () => 1,
        }),
      },
    })
    await agent.run({ threadId: 't', prompt: 'Go', context: { lang: 'German' } })
    await agent.run({ threadId: 't', prompt: 'Go', context: { lang: 'Dutch' } })
    expect(model.calls.map(({ tools }) => (tools![0] as { description?: string }).description)).toEqual([
      'In German',
      'In Dutch',
    ])
  })

  test('a tool of the provider is offered as such, and what it did is passed on', async () => {
    const model = scriptedModel([
      [
        { type: 'tool-call', toolCallId: 'p', toolName: 'search', input: '{"q":"x"}', providerExecuted: true },
        { type: 'tool-result', toolCallId: 'p', toolName: 'search', result: { hits: 1 } },
        { type: 'text', text: 'One hit.' },
      ],
      'Bye.',
    ])
    const search = {
      type: 'provider',
      id: 'x.search',
      args: { max: 1 },
      isProviderExecuted: true,
      inputSchema: empty,
    } as never
    const agent = createAgent({ model, store: inMemoryStore(), tools: { search } })
    const result = await agent.run({ threadId: 't', prompt: 'Go' })
    expect(model.calls[0]!.tools).toEqual([{ type: 'provider', name: 'search', id: 'x.search', args: { max: 1 } }])
    const content = [
      { type: 'tool-call', toolCallId: 'p', toolName: 'search', input: { q: 'x' }, providerExecuted: true },
      { type: 'tool-result', toolCallId: 'p', toolName: 'search', output: { type: 'json', value: { hits: 1 } } },
      { type: 'text', text: 'One hit.' },
    ]
    expect(result).toMatchObject({ text: 'One hit.', messages: [{ role: 'user' }, { role: 'assistant', content }] })
    await agent.run({ threadId: 't', prompt: 'Thanks' })
    expect(model.calls[1]!.prompt[1]).toEqual({ role: 'assistant', content })
  })
})

describe('ids of calls', () => {
  const call = (id: string): Message => ({
    role: 'assistant',
    content: [{ type: 'tool-call', toolCallId: id, toolName: 't', input: {} }],
  })

  test('one that is free stays; one that the thread or the answer has is replaced, and its result with it', () => {
    const ids = answerCallIds(threadCallIds([{ role: 'user', content: 'x' }, call('old')]), testClock())
    expect([ids.call('new', false), ids.call('old', false), ids.call('new', false), ids.call('', false)]).toEqual([
      'new',
      'id-1',
      'id-2',
      'id-3',
    ])
    expect([ids.of('new'), ids.of('old'), ids.of('never')]).toEqual(['id-2', 'id-1', 'never'])
  })

  test('a call has the id under which its input arrived', () => {
    const ids = answerCallIds(threadCallIds([call('c')]), testClock())
    expect([ids.open('c', false), ids.of('c'), ids.call('c', false)]).toEqual(['id-1', 'id-1', 'id-1'])
    expect(ids.call('c', false)).toBe('id-2')
  })

  test('those of the provider stay as they are', () => {
    const ids = answerCallIds(threadCallIds([call('c')]), testClock())
    expect([ids.open('c', true), ids.call('c', true), ids.call('c', true)]).toEqual(['c', 'c', 'c'])
  })
})

import { inMemoryStore, type Message } from '@keepsake/core'
import { scriptedModel, toolCall } from '@keepsake/store-testing'
import { jsonSchema, tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../src/index.ts'
import { errorText } from '../src/tools/error-text.ts'

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
    const t = {
      inputSchema: empty,
      async *execute() {
        yield 'half'
        yield 'whole'
      },
    }
    expect(await outputOf(t)).toEqual({ type: 'text', value: 'whole' })
  })

  test('an async iterable of nothing', async () => {
    expect(await outputOf({ inputSchema: empty, async *execute() {} })).toEqual({ type: 'json', value: null })
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

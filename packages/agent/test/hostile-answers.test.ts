import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { inMemoryStore, type ErrorCode, type Message } from '@keepsake/core'
import { tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../src/index.ts'
import { rejection, rowsOf, testClock } from './support.ts'

/*
 * What a model must not say, and what becomes of it: either the run fails with a typed error and the store's bytes are as
 * before, or it goes on and the thread stays one that every provider can read.
 */

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
const stop = { unified: 'stop', raw: 'stop' }
const calls = { unified: 'tool-calls', raw: 'tool_calls' }
const text = (value: string) => ({ type: 'text', text: value })
const call = (toolName: unknown, input: unknown = '{}', toolCallId: unknown = 'c') => ({
  type: 'tool-call',
  toolCallId,
  toolName,
  input,
})
const answer = (content: unknown, finishReason: unknown = stop): object => ({
  content,
  finishReason,
  usage,
  warnings: [],
})
const done = answer([text('Done.')])
const huge = JSON.stringify({ n: 1, pad: 'x'.repeat(5_000_000) })

/** A model of answers as they are, typed or not. Streams are lists of parts. */
function hostile(answers: readonly unknown[]): LanguageModelV4 & { prompts: unknown[][] } {
  const prompts: unknown[][] = []
  function next(prompt: readonly unknown[]): any {
    prompts.push([...prompt])
    const said = answers[prompts.length - 1]
    if (said instanceof Error) throw said
    return said
  }
  return {
    specificationVersion: 'v4',
    provider: 'hostile',
    modelId: 'm',
    supportedUrls: {},
    prompts,
    doGenerate: async ({ prompt }) => next(prompt),
    doStream: async ({ prompt }) => {
      const parts = next(prompt) as Iterable<LanguageModelV4StreamPart>
      return { stream: Array.isArray(parts) ? ReadableStream.from(parts) : (parts as never) }
    },
  }
}

const tools = { add: tool({ inputSchema: z.object({ n: z.number() }), execute: async ({ n }) => n + 1 }) }

/** An agent with a thread that has one turn, and what its store holds. */
async function withPast(model: LanguageModelV4) {
  const store = inMemoryStore()
  const clock = testClock()
  const before = createAgent({
    model: hostile([answer([text('Hello.'), call('add', '{"n":1}', 'old')], calls), done]),
    store,
    clock,
    tools,
  })
  await before.run({ threadId: 't', prompt: 'Hi', runId: 'first' })
  return {
    agent: createAgent({ model, store, clock, tools, limits: { maxSteps: 4 } }),
    store,
    rows: await rowsOf(store),
  }
}

/** Every call has one result, after it and before the next user message; ids are unique; contents are not empty. */
function expectReadable(messages: readonly Message[]): void {
  const open = new Set<string>()
  const seen = new Set<string>()
  for (const { role, content } of messages) {
    expect(content.length).toBeGreaterThan(0)
    if (role === 'user') expect([...open]).toEqual([])
    if (typeof content === 'string') continue
    for (const part of content) {
      if (part.type === 'tool-call' && part.providerExecuted !== true) {
        expect(seen).not.toContain(part.toolCallId)
        expect(part.toolCallId).not.toBe('')
        expect(part.toolName).not.toBe('')
        expect(Object.prototype.toString.call(part.input)).toBe('[object Object]')
        seen.add(part.toolCallId)
        open.add(part.toolCallId)
      }
      if (part.type === 'tool-result' && role === 'tool') expect(open.delete(part.toolCallId)).toBe(true)
    }
  }
  expect([...open]).toEqual([])
}

describe('answers that fail the run', () => {
  const failing: [string, unknown[], RegExp, ErrorCode?][] = [
    ['nothing', [undefined], /no list of content; it is undefined/],
    ['null', [null], /no list of content; it is null/],
    ['a text', ['Hello'], /no list of content; it is a string/],
    ['no content', [{ finishReason: stop, usage }], /no list of content/],
    ['content that is a text', [answer('Hello')], /no list of content/],
    ['a text part without text', [answer([{ type: 'text' }])], /text part with undefined/],
    ['a text part of a number', [answer([{ type: 'text', text: 5 }])], /text part with a number/],
    ['reasoning of an object', [answer([{ type: 'reasoning', text: {} }])], /reasoning part with an object/],
    ['a call without a tool name', [answer([call(undefined)], calls)], /undefined for toolName/],
    ['a call of no name', [answer([call('')], calls)], /an empty toolName/],
    ['a call of a number', [answer([call(5)], calls)], /a number for toolName/],
    ['a call whose id is a number', [answer([call('add', '{}', 5)], calls)], /a number for toolCallId/],
    [
      'a call without an id',
      [answer([{ type: 'tool-call', toolName: 'add', input: '{}' }], calls)],
      /undefined for toolCallId/,
    ],
    [
      'a file without a media type',
      [answer([{ type: 'file', data: { type: 'data', data: 'aGk=' } }])],
      /undefined for mediaType/,
    ],
    [
      'an approval that nobody can give',
      [answer([{ type: 'tool-approval-request', approvalId: 'a', toolCallId: 'c' }])],
      /asks for an approval/,
    ],
    ['finish reason error', [answer([text('Half')], { unified: 'error', raw: 'oops' })], /an error ended its answer/],
    [
      'finish reason interrupted',
      [answer([text('Half')], { unified: 'interrupted', raw: undefined })],
      /was interrupted/,
    ],
    ['an error', [new Error('down')], /^down$/],
    ['an error after a step with tools', [answer([call('add', '{"n":1}')], calls), new Error('down')], /^down$/],
    ['no answer after a step with tools', [answer([call('add', '{"n":1}')], calls), undefined], /no list of content/],
  ]
  test.each(failing)('%s', async (_name, answers, words) => {
    const { agent, store, rows } = await withPast(hostile(answers))
    const error = await rejection(agent.run({ threadId: 't', prompt: 'Go', runId: 'second' }))
    expect(error.code).toBe('run_failed')
    expect((error.cause as Error).message).toMatch(words)
    expect(error.message).not.toMatch(/Half|Hello|Go/)
    expect(await rowsOf(store)).toEqual(rows)
  })

  const unstorable: [string, unknown[], ErrorCode, RegExp][] = [
    ['more than a row can hold', [answer([call('add', huge)], calls), done], 'too_large', /This append/],
    ['a text of 5 MB', [answer([text('x'.repeat(5_000_000))])], 'too_large', /This append/],
    [
      'an input of 1,000 levels',
      [answer([call('add', `{"n":1,"a":${'['.repeat(1_000)}${']'.repeat(1_000)}}`)], calls), done],
      'invalid_value',
      /nested deeper/,
    ],
    [
      'metadata that is no JSON',
      [answer([{ ...text('x'), providerMetadata: { x: { at: new Date(0) } } }])],
      'invalid_value',
      /Date/,
    ],
    [
      'file data that is no JSON',
      [answer([{ type: 'file', mediaType: 'a/b', data: { type: 'data', data: new Map() } }])],
      'invalid_value',
      /Map/,
    ],
  ]
  test.each(unstorable)('%s: refused by the store', async (_name, answers, code, words) => {
    const { agent, store, rows } = await withPast(hostile(answers))
    const error = await rejection(agent.run({ threadId: 't', prompt: 'Go', runId: 'second' }))
    expect(error.code).toBe(code)
    expect(error.message).toMatch(words)
    expect(await rowsOf(store)).toEqual(rows)
  })
})

describe('answers with which the run goes on', () => {
  /** The outputs of the tool results of the run, then the last text. */
  const going: [string, unknown[], unknown[]][] = [
    ['no content at all', [answer([])], []],
    ['only empty texts', [answer([text(''), text('')])], []],
    ['parts of unknown types', [answer([{ type: 'video', url: 'x' }, text('Ok.')])], ['Ok.']],
    ['parts that are none', [answer([null, undefined, 5, 'x', {}, text('Ok.')])], ['Ok.']],
    [
      'sources',
      [answer([{ type: 'source', sourceType: 'url', id: 's', url: 'https://x.test/' }, text('Ok.')])],
      ['Ok.'],
    ],
    ['an unknown tool', [answer([call('nope')], calls), done], [/There is no tool "nope"/, 'Done.']],
    ['a tool named __proto__', [answer([call('__proto__')], calls), done], [/There is no tool "__proto__"/, 'Done.']],
    [
      'a tool named constructor',
      [answer([call('constructor')], calls), done],
      [/There is no tool "constructor"/, 'Done.'],
    ],
    ['a tool named toString', [answer([call('toString')], calls), done], [/There is no tool "toString"/, 'Done.']],
    [
      'a tool of strange characters',
      [answer([call('a b\u0000\n"<>')], calls), done],
      [/There is no tool "a b/, 'Done.'],
    ],
    ['input that is no JSON', [answer([call('add', '{"n":')], calls), done], [/cannot be read: .*JSON/, 'Done.']],
    ['input that is an array', [answer([call('add', '[1]')], calls), done], [/not a JSON object/, 'Done.']],
    ['input that is null', [answer([call('add', 'null')], calls), done], [/not a JSON object/, 'Done.']],
    ['input that is a number', [answer([call('add', '5')], calls), done], [/not a JSON object/, 'Done.']],
    ['input that is no text', [answer([call('add', { n: 1 })], calls), done], [/not a text/, 'Done.']],
    ['no input', [answer([call('add', '')], calls), done], [/n: /, 'Done.']],
    ['input undefined', [answer([call('add', undefined)], calls), done], [/not a text|n: /, 'Done.']],
    ['input that does not fit', [answer([call('add', '{"n":"1"}')], calls), done], [/n: .*number/, 'Done.']],
    [
      'input that would change prototypes',
      [answer([call('add', '{"n":1,"__proto__":{"x":1}}')], calls), done],
      [/__proto__/, 'Done.'],
    ],
    [
      'the same id twice in one answer',
      [answer([call('add', '{"n":1}'), call('add', '{"n":5}')], calls), done],
      [2, 6, 'Done.'],
    ],
    [
      'the same id in two steps',
      [answer([call('add', '{"n":1}')], calls), answer([call('add', '{"n":5}')], calls), done],
      [2, 6, 'Done.'],
    ],
    ['an id of an earlier turn', [answer([call('add', '{"n":1}', 'old')], calls), done], [2, 'Done.']],
    ['an empty id', [answer([call('add', '{"n":1}', ''), call('add', '{"n":2}', '')], calls), done], [2, 3, 'Done.']],
    ['an id named __proto__', [answer([call('add', '{"n":1}', '__proto__')], calls), done], [2, 'Done.']],
    ['no finish reason', [{ content: [call('add', '{"n":1}')], usage, warnings: [] }, done], [2, 'Done.']],
    ['a finish reason that is a text', [answer([text('Ok.')], 'stop')], ['Ok.']],
    ['an unknown finish reason', [answer([text('Ok.')], { unified: 'bored', raw: 'x' })], ['Ok.']],
    ['calls with finish reason stop', [answer([call('add', '{"n":1}')]), done], [2, 'Done.']],
    ['finish reason tool-calls without a call', [answer([text('Ok.')], calls)], ['Ok.']],
    [
      'a call that was cut off by its length',
      [answer([call('add', '{"n":1')], { unified: 'length', raw: 'max' })],
      [/Not run: .*length/],
    ],
    [
      'a call that was cut off by a filter',
      [answer([call('add', '{"n":1}')], { unified: 'content-filter', raw: 'x' })],
      [/Not run: .*content-filter/],
    ],
    ['no usage', [{ content: [text('Ok.')], finishReason: stop, warnings: [] }], ['Ok.']],
    [
      'usage of NaN and texts',
      [{ ...answer([text('Ok.')]), usage: { inputTokens: { total: Number.NaN }, outputTokens: { total: '5' } } }],
      ['Ok.'],
    ],
    [
      'usage of an older specification',
      [{ ...answer([text('Ok.')]), usage: { inputTokens: 5, outputTokens: 5 } }],
      ['Ok.'],
    ],
    ['a response that is a text', [{ ...answer([text('Ok.')]), response: 'x' }], ['Ok.']],
    ['half a surrogate pair', [answer([text('a\ud800b')])], ['a\ud800b']],
    ['U+0000', [answer([text('a\u0000b')])], ['a\u0000b']],
    ['calls for ever', Array.from({ length: 9 }, () => answer([call('add', '{"n":1}')], calls)), [2, 2, 2, 2]],
    [
      'a call of the provider that it never answers',
      [answer([{ ...call('search', '{}', 'p'), providerExecuted: true }, text('Ok.')])],
      ['Ok.'],
    ],
    [
      'a result of the provider without a call',
      [answer([{ type: 'tool-result', toolCallId: 'p', toolName: 'search', result: null }, text('Ok.')])],
      ['Ok.'],
    ],
  ]
  test.each(going)('%s', async (_name, answers, expected) => {
    const model = hostile([...answers, answer([text('Next.')])])
    const { agent } = await withPast(model)
    const result = await agent.run({ threadId: 't', prompt: 'Go', runId: 'second' })
    const outputs = result.messages.flatMap(({ role, content }) =>
      role === 'tool'
        ? content.map((part) => ('output' in part && 'value' in part.output ? part.output.value : part))
        : [],
    )
    const said = [...outputs, ...(result.text === '' ? [] : [result.text])]
    expect(said).toHaveLength(expected.length)
    for (const [index, value] of expected.entries()) {
      if (value instanceof RegExp) expect(said[index]).toMatch(value)
      else expect(said[index]).toBe(value)
    }
    expectReadable(await agent.messages('t'))
    expect(({} as Record<string, unknown>)['x']).toBeUndefined()
    expect(result.usage.totalTokens ?? 0).toBeGreaterThanOrEqual(0)
  })
})

describe('streams', () => {
  const finish = { type: 'finish', usage, finishReason: stop }
  const delta = (id: string, value: unknown) => ({ type: 'text-delta', id, delta: value })
  function throwing(): ReadableStream {
    return new ReadableStream({
      start(out) {
        out.enqueue(delta('0', 'Half'))
      },
      pull(out) {
        out.error(new Error('reset'))
      },
    })
  }
  const failing: [string, unknown, RegExp, boolean][] = [
    ['that ends without finish', [delta('0', 'Half')], /without its finish part/, true],
    ['of nothing', [], /without its finish part/, true],
    [
      'with an error part',
      [delta('0', 'Half'), { type: 'error', error: new Error('overloaded') }, finish],
      /overloaded/,
      false,
    ],
    ['that throws', throwing(), /reset/, false],
    ['of a delta without text', [delta('0', undefined), finish], /a delta that is undefined/, false],
    ['of a delta that is an object', [delta('0', {}), finish], /a delta that is an object/, false],
    [
      'that was interrupted',
      [delta('0', 'Half'), { ...finish, finishReason: { unified: 'interrupted' } }],
      /was interrupted/,
      true,
    ],
    ['that is no stream', 5, /getReader/, false],
    [
      'with a call without a name',
      [{ type: 'tool-call', toolCallId: 'c', input: '{}' }, finish],
      /undefined for toolName/,
      false,
    ],
  ]
  test.each(failing)('%s: fails the run', async (_name, parts, words, retryable) => {
    const { agent, store, rows } = await withPast(hostile([parts]))
    const { stream, result } = agent.stream({ threadId: 't', prompt: 'Go', runId: 'second' })
    const types: string[] = []
    for await (const part of stream) types.push(part.type)
    const error = await rejection(result)
    expect(error).toMatchObject({ code: 'run_failed', retryable })
    expect((error.cause as Error).message).toMatch(words)
    expect(types.at(-1)).toBe('error')
    expect(types.filter((type) => type === 'text-start')).toHaveLength(
      types.filter((type) => type === 'text-end').length,
    )
    expect(await rowsOf(store)).toEqual(rows)
  })

  const going: [string, unknown[], string, string[]][] = [
    ['a delta without a start', [delta('0', 'Ok.'), finish], 'Ok.', ['text-start', 'text-delta', 'text-end']],
    [
      'two starts',
      [{ type: 'text-start', id: '0' }, { type: 'text-start', id: '0' }, delta('0', 'Ok.'), finish],
      'Ok.',
      ['text-start', 'text-delta', 'text-end'],
    ],
    [
      'an end without a start',
      [{ type: 'text-end', id: '7' }, delta('0', 'Ok.'), finish],
      'Ok.',
      ['text-start', 'text-delta', 'text-end'],
    ],
    [
      'a delta after the end',
      [delta('0', 'O'), { type: 'text-end', id: '0' }, delta('0', 'k.'), finish],
      'Ok.',
      ['text-start', 'text-delta', 'text-end', 'text-start', 'text-delta', 'text-end'],
    ],
    [
      'parts of unknown types',
      [{ type: 'video' }, null, 5, { type: 'ping' }, { type: 'raw', rawValue: 1 }, delta('0', 'Ok.'), finish],
      'Ok.',
      ['text-start', 'text-delta', 'text-end'],
    ],
    [
      'input that arrives without a call',
      [
        { type: 'tool-input-delta', id: 'c', delta: '{' },
        { type: 'tool-input-end', id: 'c' },
        delta('0', 'Ok.'),
        finish,
      ],
      'Ok.',
      ['text-start', 'text-delta', 'text-end'],
    ],
    [
      'texts that are mixed',
      [delta('0', 'O'), delta('1', 'k'), delta('0', 'h '), delta('1', '.'), finish],
      'Oh k.',
      ['text-start', 'text-delta', 'text-start', 'text-delta', 'text-delta', 'text-delta', 'text-end', 'text-end'],
    ],
    [
      'no finish reason and no usage',
      [delta('0', 'Ok.'), { type: 'finish' }],
      'Ok.',
      ['text-start', 'text-delta', 'text-end'],
    ],
  ]
  test.each(going)('%s: goes on', async (_name, parts, expected, types) => {
    const { agent } = await withPast(hostile([parts]))
    const { stream, result } = agent.stream({ threadId: 't', prompt: 'Go', runId: 'second' })
    const seen: string[] = []
    for await (const { type } of stream) if (type.startsWith('text') || type.startsWith('tool')) seen.push(type)
    expect(seen).toEqual(types)
    expect((await result).text).toBe(expected)
    expectReadable(await agent.messages('t'))
  })

  test('an id of an earlier turn: its input is streamed under the new one', async () => {
    const parts = [
      { type: 'tool-input-start', id: 'old', toolName: 'add' },
      { type: 'tool-input-delta', id: 'old', delta: '{"n":1}' },
      { type: 'tool-input-end', id: 'old' },
      { type: 'tool-call', toolCallId: 'old', toolName: 'add', input: '{"n":1}' },
      { ...finish, finishReason: calls },
    ]
    const { agent } = await withPast(hostile([parts, [delta('0', 'Ok.'), finish]]))
    const { stream, result } = agent.stream({ threadId: 't', prompt: 'Go', runId: 'second' })
    const ids = new Set<string>()
    for await (const part of stream) {
      if (part.type.startsWith('tool-input') && 'id' in part) ids.add(part.id)
      if (part.type === 'tool-call' || part.type === 'tool-result') ids.add(part.toolCallId)
    }
    expect(ids.size).toBe(1)
    expect(ids).not.toContain('old')
    expect((await result).text).toBe('Ok.')
    expectReadable(await agent.messages('t'))
  })
})

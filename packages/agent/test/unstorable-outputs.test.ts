import { inMemoryStore, type ToolResultPart } from '@keepsake/core'
import { scriptedModel, toolCall } from '@keepsake/store-testing'
import { jsonSchema } from 'ai'
import { describe, expect, test } from 'vitest'
import { createAgent } from '../src/index.ts'
import { answer, call, calls, done, expectReadable, hostile, text, withPast } from './hostile-model.ts'

/*
 * What tools give and models say that no thread can keep: the model is told, the run goes on, and the thread stays one that
 * can be read.
 */

const anything = jsonSchema<any>({ type: 'object' })

/** `levels` objects, one in the other. */
function nested(levels: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = { a: value }
  return value
}

/** The output that is stored for the one call of a tool `t`. */
async function outputOf(t: object): Promise<ToolResultPart['output']> {
  const agent = createAgent({
    model: scriptedModel([toolCall('t', {}), 'Ok.', 'Next.']),
    store: inMemoryStore(),
    tools: { t: { inputSchema: anything, ...t } },
  })
  await agent.run({ threadId: 't', prompt: 'Go' })
  await agent.run({ threadId: 't', prompt: 'And?' })
  const messages = await agent.messages('t')
  expectReadable(messages)
  return (messages[2]!.content as ToolResultPart[])[0]!.output
}

describe('tool results', () => {
  const cycle: Record<string, unknown> = {}
  cycle['self'] = cycle
  const wrong: [string, unknown, RegExp][] = [
    ['600 levels', nested(600), /output.*deeper than 500/],
    ['half a surrogate pair in a key', { '\ud800': 1 }, /output.*surrogate/],
    ['a cycle', cycle, /circular|cycl/i],
    ['a BigInt', 5n, /BigInt/],
  ]
  test.each(wrong)('%s: the model is told', async (_name, output, words) => {
    const stored = await outputOf({ execute: async () => output })
    expect(stored).toMatchObject({ type: 'error-text', value: expect.stringMatching(words) })
    expect(stored).toMatchObject({ value: expect.not.stringContaining('Nothing was written') })
  })

  const shown: [string, unknown, object][] = [
    ['a Date', { type: 'json', value: new Date(0) }, { type: 'json', value: '1970-01-01T00:00:00.000Z' }],
    ['NaN', { type: 'json', value: [Number.NaN] }, { type: 'json', value: [null] }],
    ['json without a value', { type: 'json' }, { type: 'json', value: null }],
    ['what it has no use for', { type: 'text', value: 'Hi', at: new Date(0) }, { type: 'text', value: 'Hi' }],
    [
      'options with a Date',
      { type: 'text', value: 'Hi', providerOptions: { x: { at: new Date(0) } } },
      { type: 'text', value: 'Hi', providerOptions: { x: { at: '1970-01-01T00:00:00.000Z' } } },
    ],
    [
      'content with a URL',
      {
        type: 'content',
        value: [{ type: 'file', mediaType: 'a/b', data: { type: 'url', url: new URL('https://x.test/a') } }],
      },
      {
        type: 'content',
        value: [{ type: 'file', mediaType: 'a/b', data: { type: 'url', url: 'https://x.test/a' } }],
      },
    ],
  ]
  test.each(shown)('toModelOutput that gives %s', async (_name, given, expected) => {
    expect(await outputOf({ execute: async () => 1, toModelOutput: () => given })).toEqual(expected)
  })

  const malformed: [string, unknown, RegExp][] = [
    ['nothing', undefined, /toModelOutput gave/],
    ['a cycle', { type: 'json', value: cycle }, /circular|cycl/i],
    ['600 levels', { type: 'json', value: nested(600) }, /deeper than 500/],
    ['a text of a number', { type: 'text', value: 42 }, /toModelOutput gave/],
    ['an error of an object', { type: 'error-text', value: {} }, /toModelOutput gave/],
    ['content that is a text', { type: 'content', value: 'x' }, /toModelOutput gave/],
    ['content of null', { type: 'content', value: [null] }, /unknown type/],
    ['content of a text of a number', { type: 'content', value: [{ type: 'text', text: 42 }] }, /toModelOutput gave/],
    [
      'content with a Map for a file',
      { type: 'content', value: [{ type: 'file', mediaType: 'a/b', data: { type: 'data', data: new Map() } }] },
      /a file|Map/i,
    ],
  ]
  test.each(malformed)('toModelOutput that gives %s: the model is told', async (_name, given, words) => {
    const stored = await outputOf({ execute: async () => 1, toModelOutput: () => given })
    expect(stored).toMatchObject({ type: 'error-text', value: expect.stringMatching(words) })
  })

  test.each([
    ['whose toString gives an object', Object.assign(new Error('x'), { toString: () => ({}) })],
    ['whose toString throws', Object.assign(new Error('x'), { toString: () => expect.unreachable() })],
    ['that is a function', () => {}],
  ])('an error %s', async (_name, thrown) => {
    const stored = await outputOf({ execute: () => Promise.reject(thrown) })
    expect(stored).toEqual({ type: 'error-text', value: 'unknown error' })
  })
})

describe('results that are too long', () => {
  const start = 'a'.repeat(50_000)
  const end = 'z'.repeat(50_000)

  test('100,000 characters stay whole', async () => {
    expect(await outputOf({ execute: async () => start + end })).toEqual({ type: 'text', value: start + end })
  })

  test('of a longer text its head and tail stay, and what was left out is told', async () => {
    expect(await outputOf({ execute: async () => `${start}${'m'.repeat(5_000_000)}${end}` })).toEqual({
      type: 'text',
      value: `${start}\n[… 5000000 characters left out …]\n${end}`,
    })
  })

  test('no character is cut in two', async () => {
    // 100,004 code units; both cuts fall between the halves of a pair.
    const given = `${'a'.repeat(49_999)}😀mm😀${'z'.repeat(49_999)}`
    expect(await outputOf({ execute: async () => given })).toEqual({
      type: 'text',
      value: `${'a'.repeat(49_999)}\n[… 6 characters left out …]\n${'z'.repeat(49_999)}`,
    })
  })

  test('JSON becomes a text', async () => {
    const stored = await outputOf({ execute: async () => ({ list: ['x'.repeat(5_000_000)] }) })
    // {"list":["xxx…"]} has 13 characters more than the x: 5,000,013 in all.
    const value = `{"list":["${'x'.repeat(49_990)}\n[… 4900013 characters left out …]\n${'x'.repeat(49_997)}"]}`
    expect(stored).toEqual({ type: 'text', value })
  })

  test('an error', async () => {
    const stored = await outputOf({ execute: () => Promise.reject(`${start}mmm${end}`) })
    expect(stored).toEqual({ type: 'error-text', value: `${start}\n[… 3 characters left out …]\n${end}` })
  })

  test('each text of content; with files it may have 2,000,000 characters and bytes', async () => {
    const file = (data: unknown) => ({ type: 'file', mediaType: 'image/png', data: { type: 'data', data } })
    const given = (value: unknown[]) => ({ execute: async () => 1, toModelOutput: () => ({ type: 'content', value }) })
    const image = file('A'.repeat(1_800_000))
    expect(await outputOf(given([{ type: 'text', text: `${start}mmm${end}` }, image]))).toEqual({
      type: 'content',
      value: [{ type: 'text', text: `${start}\n[… 3 characters left out …]\n${end}` }, image],
    })
    // "file", "image/png" and "data" have 17 characters.
    for (const data of ['A'.repeat(1_999_984), new Uint8Array(1_999_984)])
      expect(await outputOf(given([file(data)]))).toMatchObject({
        type: 'error-text',
        value: expect.stringMatching(/content of 2000001 characters and bytes; it may have at most 2000000/),
      })
  })
})

describe('what models say', () => {
  test.each([
    ['600 levels', `${'{"a":'.repeat(600)}1${'}'.repeat(600)}`, /cannot be read: .*deeper than 500/],
    ['levels that only the message makes too many', `${'{"a":'.repeat(499)}1${'}'.repeat(499)}`, /deeper than 500/],
    ['half a surrogate pair in a key', String.raw`{"\ud800":1}`, /cannot be read: .*surrogate/],
  ])('an input of %s is a problem of that call', async (_name, input, words) => {
    const { agent } = await withPast(hostile([answer([call('add', input)], calls), done]))
    const { messages, text: said } = await agent.run({ threadId: 't', prompt: 'Go' })
    expect(said).toBe('Done.')
    expect(messages[1]!.content).toMatchObject([{ type: 'tool-call', input: {} }])
    expect(messages[2]!.content).toMatchObject([
      { output: { type: 'error-text', value: expect.stringMatching(words) } },
    ])
  })

  test.each([
    ['a Date', { x: { at: new Date(0) } }, { x: { at: '1970-01-01T00:00:00.000Z' } }],
    ['undefined in a list', { x: { list: [undefined] } }, { x: { list: [null] } }],
    ['a BigInt', { x: { n: 5n } }, undefined],
    ['600 levels', { x: nested(600) }, undefined],
    ['a text', 'x', undefined],
  ])('metadata with %s', async (_name, providerMetadata, expected) => {
    const { agent } = await withPast(hostile([answer([{ ...text('Ok.'), providerMetadata }])]))
    const { messages } = await agent.run({ threadId: 't', prompt: 'Go' })
    const part = { type: 'text', text: 'Ok.', ...(expected !== undefined && { providerOptions: expected }) }
    expect(messages[1]!.content).toEqual([part])
  })

  test.each([
    [
      'of the same answer',
      'c',
      [call('add', '{"n":1}'), { type: 'tool-result', toolCallId: 'c', toolName: 'add', result: 9 }],
    ],
    [
      'of an earlier turn',
      'old',
      [text('Hm.'), { type: 'tool-result', toolCallId: 'old', toolName: 'add', result: 9 }],
    ],
  ])('its own result for a call %s that we run is dropped', async (_name, id, content) => {
    const { agent } = await withPast(hostile([answer(content, calls), done]))
    await agent.run({ threadId: 't', prompt: 'Go' })
    const messages = await agent.messages('t')
    const results = messages.flatMap(({ content: parts }) =>
      typeof parts === 'string' ? [] : parts.filter((part) => part.type === 'tool-result' && part.toolCallId === id),
    )
    expect(results).toEqual([
      { type: 'tool-result', toolCallId: id, toolName: 'add', output: { type: 'json', value: 2 } },
    ])
  })
})

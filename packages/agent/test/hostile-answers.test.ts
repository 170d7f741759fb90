import { describe, expect, test } from 'vitest'
import type { ErrorCode } from '@keepsake/core'
import { answer, call, calls, done, expectReadable, hostile, stop, text, usage, withPast } from './hostile-model.ts'
import { rejection, saidIn } from './support.ts'

/*
 * What a model must not say, and what becomes of it: either the run fails with a typed error and the store's bytes are as
 * before, or it goes on and the thread stays one that every provider can read.
 */

const huge = JSON.stringify({ n: 1, pad: 'x'.repeat(5_000_000) })

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
    [
      'a file that cannot be stored',
      [answer([{ type: 'file', mediaType: 'a/b', data: { type: 'data', data: new Map() } }])],
      /Map|file/,
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
    expect(await saidIn(store)).toEqual(rows)
  })

  const unstorable: [string, unknown[], ErrorCode, RegExp][] = [
    ['more than a row can hold', [answer([call('add', huge)], calls), done], 'too_large', /What this event commits/],
    ['a text of 5 MB', [answer([text('x'.repeat(5_000_000))])], 'too_large', /What this event commits/],
  ]
  test.each(unstorable)('%s: refused by the store', async (_name, answers, code, words) => {
    const { agent, store, rows } = await withPast(hostile(answers))
    const error = await rejection(agent.run({ threadId: 't', prompt: 'Go', runId: 'second' }))
    expect(error.code).toBe(code)
    expect(error.message).toMatch(words)
    expect(await saidIn(store)).toEqual(rows)
  })
})

describe('answers with which the run goes on', () => {
  /** The outputs of the tool results of the run, then the last text. */
  const going: [string, unknown[], unknown[]][] = [
    ['no content at all', [answer([])], []],
    ['only reasoning', [answer([{ type: 'reasoning', text: 'Hm' }])], []],
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

import { describe, expect, test } from 'vitest'
import { calls, expectReadable, hostile, stop, usage, withPast } from './hostile-model.ts'
import { rejection, saidIn } from './support.ts'

const finish = { type: 'finish', usage, finishReason: stop }
const delta = (id: string, value: unknown): object => ({ type: 'text-delta', id, delta: value })

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
describe('streams', () => {
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
    expect(await saidIn(store)).toEqual(rows)
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

  test('an id that is used again after its end makes another text', async () => {
    const parts = [delta('0', 'One.'), { type: 'text-end', id: '0' }, delta('0', 'Two.'), finish]
    const { agent } = await withPast(hostile([parts]))
    const { messages } = await agent.stream({ threadId: 't', prompt: 'Go', runId: 'second' }).result
    expect(messages[1]!.content).toEqual([
      { type: 'text', text: 'One.' },
      { type: 'text', text: 'Two.' },
    ])
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

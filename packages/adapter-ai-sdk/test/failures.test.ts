import { APICallError } from '@ai-sdk/provider'
import { chatMemory, inMemoryStore, KeepsakeError } from '@keepsake/core'
import { faultyStore, reasoning, scriptedModel, text, toolCall } from '@keepsake/store-testing'
import { createHistory } from '@keepsake/strategies'
import { generateText, isStepCount, streamText } from 'ai'
import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test'
import { describe, expect, test } from 'vitest'
import { withHistory } from '../src/index.ts'
import { codeOf, echo, linesOf, promptsOf, rejection, remember, setup } from './support.ts'

const providerOptions = withHistory('t1')
/** A failure that the SDK retries, at once. */
const busy = (): APICallError =>
  new APICallError({
    message: 'busy',
    url: 'https://x.test',
    requestBodyValues: {},
    statusCode: 503,
    responseHeaders: { 'retry-after-ms': '0' },
  })

describe('a retry inside the SDK', () => {
  test('generateText: a call that failed twice is stored once', async () => {
    const one = setup([busy(), busy(), 'Hello.'])
    await generateText({ model: one.remembering, prompt: 'Hi', providerOptions, maxRetries: 2 })
    expect(one.model.calls).toHaveLength(3)
    expect(await linesOf(one)).toEqual(['user: Hi', 'assistant: Hello.'])
    expect(promptsOf(one.model)).toEqual([['user: Hi'], ['user: Hi'], ['user: Hi']])
  })

  test('streamText: in the second step', async () => {
    const one = setup([toolCall('echo', { text: 'a' }), busy(), 'Done.'])
    const { tools, runs } = echo()
    const result = streamText({
      model: one.remembering,
      prompt: 'Go',
      tools,
      stopWhen: isStepCount(9),
      providerOptions,
      maxRetries: 1,
    })
    expect(await result.text).toBe('Done.')
    expect(runs).toHaveLength(1)
    const turn = ['user: Go', 'assistant: call call-1 {"text":"a"}', 'tool: result call-1 a!', 'assistant: Done.']
    expect(await linesOf(one)).toEqual(turn)
    expect(promptsOf(one.model).slice(1)).toEqual([turn.slice(0, 3), turn.slice(0, 3)])
  })
})

describe('what failed is not stored', () => {
  test('a call that is refused', async () => {
    const one = setup([new Error('refused'), 'Hello.'])
    const ask = (): PromiseLike<unknown> =>
      generateText({ model: one.remembering, prompt: 'Hi', providerOptions, maxRetries: 0 })
    expect((await rejection(ask())).message).toBe('refused')
    expect(await linesOf(one)).toEqual([])
    await ask()
    expect(await linesOf(one)).toEqual(['user: Hi', 'assistant: Hello.'])
  })

  test.each(['error', 'interrupted'] as const)('an answer that ends with %s', async (finishReason) => {
    const one = setup(() => ({ content: [text('Hel')], finishReason }))
    expect((await generateText({ model: one.remembering, prompt: 'Hi', providerOptions })).text).toBe('Hel')
    await streamText({ model: one.remembering, prompt: 'Hi', providerOptions, onError() {} }).consumeStream()
    expect(one.model.calls).toHaveLength(2)
    expect(await linesOf(one)).toEqual([])
  })

  test('a stream that fails half way, although it says that it has finished', async () => {
    const one = setup([{ content: [text('Hello there.')], error: new Error('cut') }])
    const errors: unknown[] = []
    const result = streamText({
      model: one.remembering,
      prompt: 'Hi',
      providerOptions,
      onError: ({ error }) => void errors.push(error),
    })
    await result.consumeStream()
    expect(errors).toEqual([new Error('cut')])
    expect(await linesOf(one)).toEqual([])
  })

  test('a stream that ends without its finish', async () => {
    const { history, chat } = setup([])
    const stream = convertArrayToReadableStream([
      { type: 'text-start' as const, id: '0' },
      { type: 'text-delta' as const, id: '0', delta: 'Hel' },
    ])
    const model = remember(new MockLanguageModelV4({ doStream: async () => ({ stream }) }), history)
    const parts = await model.doStream({ prompt: [user('Hi')], providerOptions })
    expect(await typesOf(parts.stream)).toEqual(['text-start', 'text-delta'])
    expect(await linesOf({ chat })).toEqual([])
  })

  test('the second step: the first stays', async () => {
    const one = setup([toolCall('echo', { text: 'a' }), new Error('refused')])
    const { tools } = echo()
    await rejection(
      generateText({ model: one.remembering, prompt: 'Go', tools, stopWhen: isStepCount(9), providerOptions }),
    )
    expect(await linesOf(one)).toEqual(['user: Go', 'assistant: call call-1 {"text":"a"}'])
  })
})

describe('an abort', () => {
  test('in mid-stream', async () => {
    const one = setup([text('Hello there, how are you?')])
    const controller = new AbortController()
    const result = streamText({
      model: one.remembering,
      prompt: 'Hi',
      providerOptions,
      abortSignal: controller.signal,
      onError() {},
    })
    const seen: string[] = []
    for await (const part of result.fullStream) {
      seen.push(part.type)
      if (part.type === 'text-delta') controller.abort()
    }
    expect(seen).toContain('abort')
    expect(seen).not.toContain('finish')
    expect(await linesOf(one)).toEqual([])
  })

  test('by a reader who stops', async () => {
    const one = setup([text('Hello there, how are you?')])
    const { stream } = await one.remembering.doStream({ prompt: [user('Hi')], providerOptions })
    for await (const part of stream) if (part.type === 'text-delta') break
    expect(await linesOf(one)).toEqual([])
  })

  test('that the model does not hear: its answer is taken by nobody', async () => {
    const { history, chat } = setup([])
    const controller = new AbortController()
    const deaf = scriptedModel(() => {
      controller.abort(new Error('enough'))
      return 'Hello.'
    })
    const doGenerate: typeof deaf.doGenerate = (options) => {
      const { abortSignal: _, ...unheard } = options
      return deaf.doGenerate(unheard)
    }
    const model = remember({ ...deaf, doGenerate }, history)
    const call = { prompt: [user('Hi')], providerOptions, abortSignal: controller.signal }
    expect((await rejection(model.doGenerate(call))).message).toBe('enough')
    expect(await linesOf({ chat })).toEqual([])
  })

  test('before anything: neither the thread is read nor the model asked', async () => {
    const one = setup(['Hello.'])
    const abortSignal = AbortSignal.abort(new Error('enough'))
    expect(await codeOf(one.remembering.doGenerate({ prompt: [user('Hi')], providerOptions, abortSignal }))).toBe(
      'aborted',
    )
    expect(one.model.calls).toEqual([])
  })
})

describe('a store that fails', () => {
  test('when the thread is read: the model is not asked', async () => {
    const store = faultyStore(inMemoryStore(), () => ({ kind: 'fail' }))
    const one = setup(['Hello.'], { store })
    expect(await codeOf(generateText({ model: one.remembering, prompt: 'Hi', providerOptions }))).toBe('unavailable')
    expect(one.model.calls).toEqual([])
  })

  test('when the answer is stored: generateText rejects', async () => {
    const one = failingAppend()
    expect(await codeOf(generateText({ model: one.model, prompt: 'Hi', providerOptions, maxRetries: 0 }))).toBe(
      'unavailable',
    )
  })

  test('when the answer is stored: the stream errors in place of its finish', async () => {
    const { stream } = await failingAppend().model.doStream({ prompt: [user('Hi')], providerOptions })
    const seen: string[] = []
    const error = await rejection(
      (async () => {
        for await (const part of stream) seen.push(part.type)
      })(),
    )
    expect(KeepsakeError.isInstance(error, 'unavailable')).toBe(true)
    expect(seen).toContain('text-end')
    expect(seen).not.toContain('finish')
  })
})

test('an answer that cannot be read is refused, and nothing is stored', async () => {
  const { history, chat } = setup([])
  const broken = scriptedModel(() => [{ type: 'tool-call', toolName: '', input: '{}' }])
  expect(await codeOf(remember(broken, history).doGenerate({ prompt: [user('Hi')], providerOptions }))).toBe(
    'invalid_value',
  )
  expect(await linesOf({ chat })).toEqual([])
})

test('an answer that is none is refused, and nothing is stored', async () => {
  const { history, chat, model } = setup([])
  const broken = { ...model, doGenerate: async () => ({}) as never }
  const asked = remember(broken, history).doGenerate({ prompt: [user('Hi')], providerOptions })
  expect(await codeOf(asked)).toBe('invalid_value')
  expect(await linesOf({ chat })).toEqual([])
})

test('an answer of reasoning alone leaves the question, which is sent with the next', async () => {
  const one = setup([reasoning('Hm.'), 'Hello.'])
  await one.remembering.doGenerate({ prompt: [user('Hi')], providerOptions })
  expect(await linesOf(one)).toEqual(['user: Hi'])
  await one.remembering.doGenerate({ prompt: [user('Well?')], providerOptions })
  expect(promptsOf(one.model)[1]).toEqual(['user: Hi', 'user: Well?'])
})

function failingAppend(): { model: ReturnType<typeof remember> } {
  const history = createHistory({ chat: chatMemory(inMemoryStore()) })
  const append = async (): Promise<never> => {
    throw new KeepsakeError('unavailable', 'The store is away.', { retryable: true })
  }
  return { model: remember(scriptedModel(['Hello.']), { ...history, append }) }
}

function user(content: string): { role: 'user'; content: [{ type: 'text'; text: string }] } {
  return { role: 'user', content: [{ type: 'text', text: content }] }
}

async function typesOf(stream: ReadableStream<{ type: string }>): Promise<string[]> {
  const types: string[] = []
  for await (const part of stream) types.push(part.type)
  return types
}

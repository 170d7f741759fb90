import type { LanguageModelV4CallOptions, LanguageModelV4Message } from '@ai-sdk/provider'
import { toolCall } from '@keepsake/store-testing'
import { generateText, streamText, wrapLanguageModel } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { expect, test } from 'vitest'
import { historyMiddleware, withHistory } from '../src/index.ts'
import { linesOf, promptsOf, remember, setup } from './support.ts'

const providerOptions = withHistory('t1')

test('calls of the model itself: what is new is passed, what was before is known', async () => {
  const one = setup(['One.', 'Two.'])
  await one.remembering.doGenerate({ prompt: [user('First')], providerOptions })
  const { stream } = await one.remembering.doStream({ prompt: [user('Second')], providerOptions })
  for await (const _ of stream);
  expect(promptsOf(one.model)).toEqual([['user: First'], ['user: First', 'assistant: One.', 'user: Second']])
  expect(await linesOf(one)).toEqual(['user: First', 'assistant: One.', 'user: Second', 'assistant: Two.'])
})

test('a loop of one’s own that sends the results alone', async () => {
  const one = setup([toolCall('echo', { text: 'a' }), toolCall('echo', { text: 'b' }), 'Done.'])
  const options = withHistory('t1', { opId: 'req-1' })
  for (let i = 0; i < 2; i++) {
    await one.remembering.doGenerate({ prompt: [user('Go')], providerOptions: options })
    await one.remembering.doGenerate({ prompt: [result('call-1', 'a!')], providerOptions: options })
    await one.remembering.doGenerate({ prompt: [result('call-2', 'b!')], providerOptions: options })
  }
  const turn = [
    'user: Go',
    'assistant: call call-1 {"text":"a"}',
    'tool: result call-1 a!',
    'assistant: call call-2 {"text":"b"}',
    'tool: result call-2 b!',
    'assistant: Done.',
  ]
  expect(promptsOf(one.model)).toEqual([1, 3, 5].map((end) => turn.slice(0, end)))
  expect(await linesOf(one)).toEqual(turn)
})

test('the same step again, without opId: only the answer is new', async () => {
  const one = setup([toolCall('echo', { text: 'a' }), 'One.', 'Two.'])
  const first = [user('Go'), call('call-1', 'a'), result('call-1', 'a!')]
  await one.remembering.doGenerate({ prompt: [user('Go')], providerOptions })
  for (let i = 0; i < 2; i++) await one.remembering.doGenerate({ prompt: first, providerOptions })
  expect(promptsOf(one.model)[2]).toEqual(promptsOf(one.model)[1])
  expect((await linesOf(one)).slice(2)).toEqual(['tool: result call-1 a!', 'assistant: One.', 'assistant: Two.'])
})

test('an answer that the caller begins is stored as it was sent', async () => {
  const one = setup(['Bern.'])
  const begun: LanguageModelV4Message = { role: 'assistant', content: [{ type: 'text', text: 'It is' }] }
  await one.remembering.doGenerate({ prompt: [user('Capital?'), begun], providerOptions })
  expect(await linesOf(one)).toEqual(['user: Capital?', 'assistant: It is', 'assistant: Bern.'])
})

test('an answer that the caller begins in the middle of a turn is a part of it', async () => {
  const one = setup([toolCall('echo', { text: 'a' }), 'a!'])
  const begun: LanguageModelV4Message = { role: 'assistant', content: [{ type: 'text', text: 'It says' }] }
  await one.remembering.doGenerate({ prompt: [user('Go')], providerOptions })
  const step = [user('Go'), call('call-1', 'a'), result('call-1', 'a!'), begun]
  await one.remembering.doGenerate({ prompt: step, providerOptions })
  expect(await linesOf(one)).toEqual([
    'user: Go',
    'assistant: call call-1 {"text":"a"}',
    'tool: result call-1 a!',
    'assistant: It says',
    'assistant: a!',
  ])
  expect(promptsOf(one.model)[1]).toEqual((await linesOf(one)).slice(0, 4))
})

test('without our options a call passes through untouched, and nothing is stored', async () => {
  const asked: LanguageModelV4CallOptions[] = []
  const answer = { content: [], finishReason: { unified: 'stop' as const, raw: undefined }, usage, warnings: [] }
  const streamed = { stream: new ReadableStream<never>() }
  const inner = new MockLanguageModelV4({
    doGenerate: async (options) => {
      asked.push(options)
      return answer
    },
    doStream: async (options) => {
      asked.push(options)
      return streamed
    },
  })
  const { history, chat } = setup([])
  const model = remember(inner, history)
  const calls: LanguageModelV4CallOptions[] = [
    { prompt: [user('Hi')] },
    { prompt: [user('Hi')], providerOptions: { openai: { user: 'ada' } } },
  ]
  for (const options of calls) {
    expect(await model.doGenerate(options)).toBe(answer)
    expect((await model.doStream(options)).stream).toBe(streamed.stream)
  }
  expect(asked.map((options) => calls.indexOf(options))).toEqual([0, 0, 1, 1])
  expect((await chat.threads()).items).toEqual([])
})

test('all but the prompt is passed on, and of the provider options all but ours', async () => {
  const one = setup(['One.', 'Two.'])
  const abortSignal = new AbortController().signal
  const rest = { temperature: 0.5, seed: 7, abortSignal, headers: { a: 'b' } }
  await one.remembering.doGenerate({
    ...rest,
    prompt: [user('Hi')],
    providerOptions: { ...providerOptions, openai: { user: 'ada' } },
  })
  await one.remembering.doGenerate({ ...rest, prompt: [user('Hi')], providerOptions })
  const [first, second] = one.model.calls
  expect(first).toMatchObject({ ...rest, providerOptions: { openai: { user: 'ada' } } })
  expect(first!.providerOptions).not.toHaveProperty('keepsake')
  expect(second).toMatchObject(rest)
  expect(second).not.toHaveProperty('providerOptions')
})

test('what the model says of its answer is passed on', async () => {
  const one = setup(['Hello.'])
  const { stream: _, ...given } = await one.model.doStream({ prompt: [user('Hi')] })
  expect(given).toEqual({})
  const { history } = setup([])
  const inner = new MockLanguageModelV4({
    doStream: async () => ({
      stream: new ReadableStream<never>({ start: (controller) => controller.close() }),
      request: { body: 'x' },
      response: { headers: { h: '1' } },
    }),
  })
  const passed = await remember(inner, history).doStream({ prompt: [user('Hi')], providerOptions })
  expect(passed).toMatchObject({ request: { body: 'x' }, response: { headers: { h: '1' } } })
})

test('other middleware stands on either side', async () => {
  const one = setup(['Hello.'])
  const seen: string[] = []
  const spy = (name: string) => ({
    specificationVersion: 'v4' as const,
    transformParams: async ({ params }: { params: LanguageModelV4CallOptions }) => {
      seen.push(`${name} ${params.prompt.length}`)
      return params
    },
  })
  const model = wrapLanguageModel({
    model: one.model,
    middleware: [spy('outer'), historyMiddleware({ history: one.history }), spy('inner')],
  })
  await one.chat.append('t1', [{ role: 'user', content: 'Before' }])
  await generateText({ model, prompt: 'Hi', providerOptions })
  expect(seen).toEqual(['outer 1', 'inner 2'])
})

test('a model that is read part by part is not asked for more than is read', async () => {
  let pulled = 0
  const { history } = setup([])
  const inner = new MockLanguageModelV4({
    doStream: async () => ({
      stream: new ReadableStream(
        {
          pull(controller) {
            controller.enqueue(
              pulled++ === 0 ? { type: 'text-start', id: '0' } : { type: 'text-delta', id: '0', delta: 'x' },
            )
          },
        },
        { highWaterMark: 0 },
      ),
    }),
  })
  const { stream } = await remember(inner, history).doStream({ prompt: [user('Hi')], providerOptions })
  const reader = stream.getReader()
  for (let i = 0; i < 3; i++) await reader.read()
  expect(pulled).toBeLessThanOrEqual(4)
  await reader.cancel()
})

test('streamText without our options stores nothing', async () => {
  const one = setup(['Hello.'])
  expect(await streamText({ model: one.remembering, prompt: 'Hi' }).text).toBe('Hello.')
  expect(await linesOf(one)).toEqual([])
})

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

function user(content: string): LanguageModelV4Message {
  return { role: 'user', content: [{ type: 'text', text: content }] }
}

function call(toolCallId: string, content: string): LanguageModelV4Message {
  return { role: 'assistant', content: [{ type: 'tool-call', toolCallId, toolName: 'echo', input: { text: content } }] }
}

function result(toolCallId: string, value: string): LanguageModelV4Message {
  return {
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId, toolName: 'echo', output: { type: 'text', value } }],
  }
}

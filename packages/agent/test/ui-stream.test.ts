import { inMemoryStore } from '@keepsake/core'
import { reasoning, scriptedModel, text, toolCall } from '@keepsake/store-testing'
import {
  createUIMessageStreamResponse,
  parseJsonEventStream,
  readUIMessageStream,
  tool,
  toUIMessageStream,
  uiMessageChunkSchema,
  type UIMessage,
  type UIMessageChunk,
} from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent, type RunStream } from '../src/index.ts'
import { textOf } from './support.ts'

/** What a browser makes of it: the stream as an HTTP response, its events read back, the message put together. */
async function shownBy(run: RunStream): Promise<UIMessage> {
  const response = createUIMessageStreamResponse({ stream: toUIMessageStream({ stream: run.stream }) })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  const events = parseJsonEventStream({ stream: response.body!, schema: uiMessageChunkSchema })
  const chunks = events.pipeThrough(
    new TransformStream({
      transform(event, out) {
        if (!event.success) throw event.error
        out.enqueue(event.value as UIMessageChunk)
      },
    }),
  )
  let last: UIMessage | undefined
  for await (const message of readUIMessageStream({ stream: chunks })) last = message
  return last!
}

const add = tool({ inputSchema: z.object({ a: z.number() }), execute: async ({ a }) => ({ sum: a + 1 }) })

describe('ai shows', () => {
  test('texts, reasoning, calls with their results and errors, step by step', async () => {
    const agent = createAgent({
      model: scriptedModel([
        [
          reasoning('Hm.'),
          text('Let me add.'),
          toolCall('add', { a: 1 }),
          toolCall('add', { a: 'x' }),
          toolCall('nope', {}),
        ],
        'Two.',
      ]),
      store: inMemoryStore(),
      tools: { add },
    })
    const run = agent.stream({ threadId: 't', prompt: 'Add' })
    const message = await shownBy(run)
    const call = { type: 'dynamic-tool', state: 'output-error' }
    expect(message).toMatchObject({
      role: 'assistant',
      parts: [
        { type: 'step-start' },
        { type: 'reasoning', text: 'Hm.', state: 'done' },
        { type: 'text', text: 'Let me add.', state: 'done' },
        {
          type: 'dynamic-tool',
          toolName: 'add',
          toolCallId: 'call-1',
          state: 'output-available',
          input: { a: 1 },
          output: { sum: 2 },
        },
        { ...call, toolName: 'add', toolCallId: 'call-2', input: { a: 'x' } },
        {
          ...call,
          toolName: 'nope',
          toolCallId: 'call-3',
          input: {},
          errorText: 'Error: There is no tool "nope". There is: add.',
        },
        { type: 'step-start' },
        { type: 'text', text: 'Two.', state: 'done' },
      ],
    })
    expect(message.parts).toHaveLength(8)
    // What is shown of an error is what the model and the thread have of it.
    const { messages } = await run.result
    const shown = message.parts[4] as { errorText?: string }
    expect(messages[2]!.content[1]).toMatchObject({ output: { type: 'error-text', value: shown.errorText } })
  })

  test('what the provider ran', async () => {
    const model = scriptedModel([
      [
        { type: 'tool-call', toolCallId: 'p', toolName: 'search', input: '{"q":1}', providerExecuted: true },
        { type: 'tool-result', toolCallId: 'p', toolName: 'search', result: { hits: 1 } },
        text('Found.'),
      ],
    ])
    const message = await shownBy(createAgent({ model, history: 'none' }).stream({ threadId: 't', prompt: 'Find' }))
    expect(message.parts).toMatchObject([
      { type: 'step-start' },
      { type: 'dynamic-tool', state: 'output-available', providerExecuted: true, input: { q: 1 }, output: { hits: 1 } },
      { type: 'text', text: 'Found.' },
    ])
  })

  test('the same text as is stored', async () => {
    const agent = createAgent({ model: scriptedModel(['Grüße, 🦊!'], { deltaChars: 1 }), store: inMemoryStore() })
    const run = agent.stream({ threadId: 't', prompt: 'Hi' })
    const message = await shownBy(run)
    expect(message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')).toBe('Grüße, 🦊!')
    expect(textOf((await run.result).messages)).toBe('Grüße, 🦊!')
  })

  test('a failure as an error, masked unless the application says how', async () => {
    const agent = createAgent({ model: scriptedModel([new Error('secret'), new Error('secret')]), history: 'none' })
    const errors: unknown[] = []
    for (const options of [{}, { onError: (error: unknown) => (error as { code: string }).code }]) {
      const { stream } = agent.stream({ threadId: 't', prompt: 'Hi' })
      for await (const chunk of toUIMessageStream({ stream, ...options }))
        if (chunk.type === 'error') errors.push(chunk.errorText)
    }
    expect(errors).toEqual(['An error occurred.', 'run_failed'])
  })

  test('an abort', async () => {
    const { stream } = createAgent({ model: scriptedModel([]), history: 'none' }).stream({
      threadId: 't',
      prompt: 'Hi',
      signal: AbortSignal.abort('closed'),
    })
    const types: string[] = []
    for await (const chunk of toUIMessageStream({ stream })) types.push(chunk.type)
    expect(types).toContain('abort')
  })
})

import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { describe, expect, it } from 'vitest'
import { reasoning, scriptedModel, text, toolCall } from '../src/index.ts'

const ask = (...texts: string[]): LanguageModelV4CallOptions => ({
  prompt: texts.map((t) => ({ role: 'user', content: [{ type: 'text', text: t }] })),
})

async function streamed(result: PromiseLike<{ stream: ReadableStream<LanguageModelV4StreamPart> }>) {
  const parts: LanguageModelV4StreamPart[] = []
  for await (const part of (await result).stream) parts.push(part)
  return parts
}

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
}

describe('scriptedModel', () => {
  it('answers from a list, in order, and says so when it is empty', async () => {
    const model = scriptedModel(['one', text('two')])
    expect((await model.doGenerate(ask('a'))).content).toEqual([{ type: 'text', text: 'one' }])
    expect((await model.doGenerate(ask('b'))).content).toEqual([{ type: 'text', text: 'two' }])
    await expect(model.doGenerate(ask('c'))).rejects.toMatchObject({
      code: 'invalid_value',
      message: 'The scripted model has no answer for call 3; add one to its script.',
    })
  })

  it('refuses a list of functions', async () => {
    const model = scriptedModel([(() => 'one') as never])
    await expect(model.doGenerate(ask('a'))).rejects.toMatchObject({
      code: 'invalid_value',
      message: 'A script is a list of answers, or one function; it is a list of functions.',
    })
  })

  it('answers from a function of the call and its index', async () => {
    const model = scriptedModel(async ({ prompt }, index) => `${index}:${prompt.length}`)
    await model.doGenerate(ask('a'))
    expect((await model.doGenerate(ask('a', 'b', 'c'))).content).toEqual([{ type: 'text', text: '1:3' }])
  })

  it('generates a whole result', async () => {
    const model = scriptedModel([[reasoning('Hm.'), toolCall('weather', { city: 'Bern' }, 'w1')]], { modelId: 'm' })
    expect(await model.doGenerate(ask('a'))).toEqual({
      content: [
        { type: 'reasoning', text: 'Hm.' },
        { type: 'tool-call', toolCallId: 'w1', toolName: 'weather', input: '{"city":"Bern"}' },
      ],
      finishReason: { unified: 'tool-calls', raw: 'tool-calls' },
      usage,
      response: { id: 'response-1', modelId: 'm' },
      warnings: [],
    })
  })

  it('streams texts, reasoning and tool inputs in pieces', async () => {
    const model = scriptedModel([[reasoning('Hmm so'), text('Grüß😀e'), toolCall('t', [12], 'c')]])
    expect(await streamed(model.doStream(ask('a')))).toEqual([
      { type: 'stream-start', warnings: [] },
      { type: 'response-metadata', id: 'response-1', modelId: 'scripted' },
      { type: 'reasoning-start', id: 'reasoning-0' },
      { type: 'reasoning-delta', id: 'reasoning-0', delta: 'Hmm ' },
      { type: 'reasoning-delta', id: 'reasoning-0', delta: 'so' },
      { type: 'reasoning-end', id: 'reasoning-0' },
      { type: 'text-start', id: 'text-1' },
      { type: 'text-delta', id: 'text-1', delta: 'Grüß' },
      { type: 'text-delta', id: 'text-1', delta: '😀e' },
      { type: 'text-end', id: 'text-1' },
      { type: 'tool-input-start', id: 'c', toolName: 't' },
      { type: 'tool-input-delta', id: 'c', delta: '[12]' },
      { type: 'tool-input-end', id: 'c' },
      { type: 'tool-call', toolCallId: 'c', toolName: 't', input: '[12]' },
      { type: 'finish', usage, finishReason: { unified: 'tool-calls', raw: 'tool-calls' } },
    ])
  })

  it('numbers calls above those of the prompt and of the answer', async () => {
    const model = scriptedModel(() => [toolCall('t', 1), toolCall('t', 2, 'call-7'), toolCall('t', 3)])
    const ids = async (call: LanguageModelV4CallOptions) =>
      (await model.doGenerate(call)).content.map((part) => part.type === 'tool-call' && part.toolCallId)
    expect(await ids(ask('a'))).toEqual(['call-8', 'call-7', 'call-9'])
    const earlier = { type: 'tool-call', toolCallId: 'call-20', toolName: 't', input: 1 } as const
    expect(await ids({ prompt: [{ role: 'assistant', content: [earlier] }] })).toEqual(['call-21', 'call-7', 'call-22'])
  })

  it('records each call with the prompt as it was sent', async () => {
    const model = scriptedModel(['one', 'two'])
    const call = ask('first')
    await model.doGenerate(call)
    call.prompt.push({ role: 'system', content: 'later' })
    await model.doStream(ask('second'))
    expect(model.calls.map((c) => [c.prompt.length, c.streamed])).toEqual([
      [1, false],
      [1, true],
    ])
  })

  it('keeps URLs and bytes of a prompt', async () => {
    const model = scriptedModel(['ok'])
    const url = new URL('https://example.com/a.png')
    await model.doGenerate({
      prompt: [{ role: 'user', content: [{ type: 'file', mediaType: 'image/png', data: { type: 'url', url } }] }],
    })
    expect(model.calls[0]?.prompt[0]?.content).toEqual([
      { type: 'file', mediaType: 'image/png', data: { type: 'url', url } },
    ])
  })

  it('refuses with an Error of the script', async () => {
    const model = scriptedModel([new Error('overloaded'), new Error('overloaded')])
    await expect(model.doGenerate(ask('a'))).rejects.toThrow('overloaded')
    await expect(model.doStream(ask('a'))).rejects.toThrow('overloaded')
    expect(model.calls.length).toBe(2)
  })

  it('fails half way through a stream', async () => {
    const error = new Error('cut')
    const model = scriptedModel([{ content: [text('Hello')], error }])
    expect((await streamed(model.doStream(ask('a')))).slice(-4)).toEqual([
      { type: 'text-delta', id: 'text-0', delta: 'o' },
      { type: 'text-end', id: 'text-0' },
      { type: 'error', error },
      { type: 'finish', usage, finishReason: { unified: 'error', raw: 'error' } },
    ])
  })

  it('takes finish reason and usage from the script', async () => {
    const model = scriptedModel([
      { content: [text('cut o')], finishReason: 'length', usage: { inputTokens: 3, outputTokens: 2 } },
    ])
    expect(await model.doGenerate(ask('a'))).toMatchObject({
      finishReason: { unified: 'length' },
      usage: { inputTokens: { total: 3 }, outputTokens: { total: 2 } },
    })
  })

  it('rejects an aborted call, also one that waits for its script', async () => {
    const model = scriptedModel(() => new Promise<string>(() => {}))
    const early = { ...ask('a'), abortSignal: AbortSignal.abort('early') }
    await expect(model.doGenerate(early)).rejects.toBe('early')
    const controller = new AbortController()
    const waiting = model.doGenerate({ ...ask('a'), abortSignal: controller.signal })
    controller.abort('late')
    await expect(waiting).rejects.toBe('late')
  })

  it('ends an aborted stream with the reason', async () => {
    const controller = new AbortController()
    const { stream } = await scriptedModel(['Hello']).doStream({ ...ask('a'), abortSignal: controller.signal })
    const reader = stream.getReader()
    expect((await reader.read()).value).toEqual({ type: 'stream-start', warnings: [] })
    controller.abort('enough')
    await expect(reader.read()).rejects.toBe('enough')
  })

  it('refuses deltas without characters', () => {
    expect(() => scriptedModel([], { deltaChars: 0 })).toThrow('deltaChars must be a whole number from 1; it is 0.')
  })
})

import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider'
import { KeepsakeError } from '@keepsake/core'
import { toResponse, type Script, type ScriptedPart, type ScriptedResponse } from './script.ts'
import { contentToStreamParts } from './stream-parts.ts'

/** What one call asked for. `prompt` is a copy: it stays as it was sent. */
export type ScriptedCall = LanguageModelV4CallOptions & { streamed: boolean }

export interface ScriptedModel extends LanguageModelV4 {
  /** Every call so far, refused ones too, oldest first. */
  readonly calls: readonly ScriptedCall[]
}

export interface ScriptedModelOptions {
  /** Default `scripted`. */
  modelId?: string
  /** How many characters a streamed delta has at most. Default 4. */
  deltaChars?: number
}

/**
 * A language model that says what its script says, at once, without a network. For tests and examples.
 *
 * `doGenerate` and `doStream` give the same content. A call after the end of a list rejects with `invalid_value`. An
 * aborted call rejects, and an aborted stream errors, with the signal's reason. URLs in prompts are taken as
 * supported, so that the AI SDK never downloads one.
 *
 * @example
 * const model = scriptedModel([toolCall('weather', { city: 'Bern' }), 'It is 21 °C in Bern.'])
 */
export function scriptedModel(script: Script, options: ScriptedModelOptions = {}): ScriptedModel {
  const { modelId = 'scripted', deltaChars = 4 } = options
  if (!Number.isSafeInteger(deltaChars) || deltaChars < 1) {
    throw new KeepsakeError('invalid_value', `deltaChars must be a whole number from 1; it is ${deltaChars}.`)
  }
  const calls: ScriptedCall[] = []

  async function respond(call: LanguageModelV4CallOptions, streamed: boolean): Promise<Played> {
    const index = calls.length
    calls.push({ ...call, prompt: copy(call.prompt), streamed })
    call.abortSignal?.throwIfAborted()
    const answer = typeof script === 'function' ? await untilAborted(script(call, index), call) : script[index]
    if (answer === undefined) {
      throw new KeepsakeError(
        'invalid_value',
        `The scripted model has no answer for call ${index + 1}; add one to its script.`,
      )
    }
    if (typeof answer === 'function') {
      throw new KeepsakeError(
        'invalid_value',
        'A script is a list of answers, or one function; it is a list of functions.',
      )
    }
    const response = toResponse(answer)
    const content = withCallIds(response.content, call.prompt)
    return { id: `response-${index + 1}`, response, content, finishReason: finishReasonOf(response) }
  }

  return {
    specificationVersion: 'v4',
    provider: 'keepsake.scripted',
    modelId,
    supportedUrls: { '*/*': [/^/] },
    calls,
    async doGenerate(call): Promise<LanguageModelV4GenerateResult> {
      const { id, response, content, finishReason } = await respond(call, false)
      if (response.error !== undefined) throw response.error
      return { content, finishReason, usage: usageOf(response), response: { id, modelId }, warnings: [] }
    },
    async doStream(call) {
      const played = await respond(call, true)
      // Without content there is nothing to be half way through: a refused request, as providers report it.
      if (played.response.error !== undefined && played.content.length === 0) throw played.response.error
      return { stream: toStream(streamParts(played, modelId, deltaChars), call.abortSignal) }
    },
  }
}

interface Played {
  id: string
  response: ScriptedResponse
  content: LanguageModelV4Content[]
  finishReason: LanguageModelV4FinishReason
}

function* streamParts(played: Played, modelId: string, deltaChars: number): Generator<LanguageModelV4StreamPart> {
  yield { type: 'stream-start', warnings: [] }
  yield { type: 'response-metadata', id: played.id, modelId }
  yield* contentToStreamParts(played.content, deltaChars)
  const { error } = played.response
  if (error !== undefined) yield { type: 'error', error }
  yield { type: 'finish', usage: usageOf(played.response), finishReason: played.finishReason }
}

/** One part a pull, so that who stops reading stops the model. */
function toStream(
  parts: Generator<LanguageModelV4StreamPart>,
  signal: AbortSignal | undefined,
): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream<LanguageModelV4StreamPart>(
    {
      pull(controller) {
        if (signal?.aborted) return controller.error(signal.reason)
        const next = parts.next()
        if (next.done) controller.close()
        else controller.enqueue(next.value)
      },
    },
    { highWaterMark: 0 },
  )
}

function withCallIds(content: readonly ScriptedPart[], prompt: LanguageModelV4Prompt): LanguageModelV4Content[] {
  let last = largestCallNumber(prompt)
  for (const part of content) if (part.type === 'tool-call') last = Math.max(last, callNumber(part.toolCallId))
  return content.map((part) =>
    part.type === 'tool-call' ? { ...part, toolCallId: part.toolCallId ?? `call-${++last}` } : part,
  )
}

function largestCallNumber(prompt: LanguageModelV4Prompt): number {
  let largest = 0
  for (const message of prompt) {
    if (typeof message.content === 'string') continue
    for (const part of message.content) {
      if (part.type === 'tool-call') largest = Math.max(largest, callNumber(part.toolCallId))
    }
  }
  return largest
}

function callNumber(id: string | undefined): number {
  return Number(id?.match(/^call-(\d{1,9})$/)?.[1] ?? 0)
}

function finishReasonOf(response: ScriptedResponse): LanguageModelV4FinishReason {
  const calls = response.content.some((part) => part.type === 'tool-call' && part.providerExecuted !== true)
  const unified = response.finishReason ?? (response.error !== undefined ? 'error' : calls ? 'tool-calls' : 'stop')
  return { unified, raw: unified }
}

function usageOf(response: ScriptedResponse): LanguageModelV4Usage {
  const { inputTokens, outputTokens } = response.usage ?? { inputTokens: 10, outputTokens: 5 }
  return {
    inputTokens: { total: inputTokens, noCache: inputTokens, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: outputTokens, text: outputTokens, reasoning: 0 },
  }
}

/** An answer that the script waits for does not outlive the caller's signal. */
async function untilAborted<T>(answer: T | Promise<T>, call: LanguageModelV4CallOptions): Promise<T> {
  const signal = call.abortSignal
  if (signal === undefined) return answer
  const aborted = Promise.withResolvers<never>()
  const onAbort = (): void => aborted.reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([answer, aborted.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** structuredClone refuses URLs; everything else in a prompt that is no plain data is kept as it is. */
function copy<T>(value: T): T
function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy)
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, copy(inner)]))
}

import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4GenerateResult } from '@ai-sdk/provider'
import { fromContent, fromPrompt, toPrompt, type AssistantPart } from '@keepsake/agent'
import { describeType, KeepsakeError, type Message } from '@keepsake/core'
import { window, type History } from '@keepsake/strategies'
import { placeOf, type Place } from './place.ts'
import { resultsAfterCalls } from './results-after-calls.ts'
import { otherOptions, type HistoryCall } from './with-history.ts'

/** One call of the model, in its thread. */
export type Turn =
  /** Its answer is stored: it was asked before under the same `opId`. */
  | { stored: AssistantPart[] }
  | {
      stored?: undefined
      /** What to ask the model. */
      params: LanguageModelV4CallOptions
      /** Stores what was asked and what the model said, in one append. */
      store: (result: Pick<LanguageModelV4GenerateResult, 'content' | 'finishReason'>) => Promise<void>
    }

/** Reads the thread and works out what the call adds to it and what the model is sent. */
export async function beginTurn(
  history: History,
  call: HistoryCall,
  params: LanguageModelV4CallOptions,
  model: LanguageModelV4,
): Promise<Turn> {
  const { threadId, owner, opId } = call
  const signal = params.abortSignal
  const whose = owner === undefined ? {} : { owner }
  const context = { threadId, model, ...whose, ...(signal !== undefined && { signal }) }
  const system = params.prompt.filter(({ role }) => role === 'system')
  const said = fromPrompt(params.prompt.filter(({ role }) => role !== 'system'))

  const thread = listOf('load', await history.load(threadId, context))
  const place = placeOf(thread, said, (answer) => stepOf(answer, opId) !== undefined)
  const stepId = opId === undefined ? undefined : nextStepId(opId, place)
  const stored =
    stepId === undefined ? undefined : thread.findLast(({ id, role }) => id === stepId && role === 'assistant')
  if (stored !== undefined) return { stored: partsOf(stored) }

  const prepared = listOf('prepare', await history.prepare([...place.past, ...place.added], context))
  // Not a window: so many messages there never are. It leaves out what no provider takes, such as calls that were given up.
  const sendable = window(Number.MAX_SAFE_INTEGER)(resultsAfterCalls(prepared))
  const { providerOptions, ...rest } = params
  const others = providerOptions && otherOptions(providerOptions)
  return {
    params: {
      ...rest,
      ...(others !== undefined && { providerOptions: others }),
      prompt: [...system, ...toPrompt(sendable)],
    },
    store: async ({ content, finishReason }) => {
      // An answer that failed is none, and an aborted call is one whose answer nobody takes.
      if (isFailed(finishReason)) return
      signal?.throwIfAborted()
      const parts = answerParts(content)
      const messages = [...place.added]
      // One with nothing in it says of a named step that it is done.
      if (stepId !== undefined) messages.push({ role: 'assistant', content: parts, id: stepId })
      else if (parts.length > 0) messages.push({ role: 'assistant', content: parts })
      if (messages.length === 0) return
      // Without the signal: it would not be known whether it was stored.
      await history.append(threadId, messages, { ...whose, ...(stepId !== undefined && { opId: stepId }) })
    },
  }
}

/** The steps of an operation are numbered, and each has one name for its append and for its answer's id. */
function nextStepId(opId: string, { after }: Place): string {
  const step = after === undefined ? undefined : stepOf(after, opId)
  return `${opId}/${step === undefined ? 0 : step + 1}`
}

function stepOf({ id }: Message, opId: string | undefined): number | undefined {
  if (opId === undefined || id === undefined || !id.startsWith(`${opId}/`)) return undefined
  const step = id.slice(opId.length + 1)
  return /^\d{1,9}$/.test(step) ? Number(step) : undefined
}

function partsOf({ role, content }: Message): AssistantPart[] {
  if (role !== 'assistant') return []
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

/** Models are not type-checked. */
function isFailed(finishReason: LanguageModelV4GenerateResult['finishReason'] | undefined): boolean {
  return finishReason?.unified === 'error' || finishReason?.unified === 'interrupted'
}

/** Reasoning that led to nothing is no answer: OpenAI refuses a prompt with it. */
function answerParts(content: LanguageModelV4GenerateResult['content']): AssistantPart[] {
  if (!Array.isArray(content)) {
    throw new KeepsakeError(
      'invalid_value',
      `The model's answer has no list of content; it is ${describeType(content)}. Nothing was stored.`,
    )
  }
  const parts = fromContent(content)
  return parts.some(({ type }) => type !== 'reasoning' && type !== 'reasoning-file') ? parts : []
}

function listOf(verb: 'load' | 'prepare', messages: unknown): Message[] {
  if (Array.isArray(messages)) return messages as Message[]
  throw new KeepsakeError(
    'invalid_value',
    `What history.${verb} gives must be a list of messages; it is ${describeType(messages)}.`,
  )
}

import type {
  JSONValue,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4ToolCall,
} from '@ai-sdk/provider'

/** A call whose id the model chooses when it plays it, unless it is given. `input` is JSON text, as V4 wants it. */
export type ScriptedToolCall = Omit<LanguageModelV4ToolCall, 'toolCallId'> & { toolCallId?: string }

export type ScriptedPart = Exclude<LanguageModelV4Content, { type: 'tool-call' }> | ScriptedToolCall

/** One answer in full; the shorter forms of {@link ScriptedAnswer} stand for it. */
export interface ScriptedResponse {
  content: readonly ScriptedPart[]
  /** Default: `tool-calls` if `content` has a call that the client must run, `error` with `error`, else `stop`. */
  finishReason?: 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'interrupted' | 'other'
  /** Default: 10 in, 5 out, whatever the texts, so that a test can add them up. */
  usage?: { inputTokens: number; outputTokens: number }
  /** The call fails with this: `doGenerate` rejects; `doStream` sends `content` first, so it fails half way. */
  error?: unknown
}

/** A text, one part, several parts, a whole response, or an Error with which the call is refused. */
export type ScriptedAnswer = string | ScriptedPart | readonly ScriptedPart[] | ScriptedResponse | Error

/**
 * What a scripted model says: a list, one answer a call, or a function of the call. `index` counts the calls of this
 * model from 0. A function that looks at `options.prompt` only gives the same answer in every process.
 */
export type Script =
  | readonly ScriptedAnswer[]
  | ((options: LanguageModelV4CallOptions, index: number) => ScriptedAnswer | Promise<ScriptedAnswer>)

/** A text part. */
export function text(value: string): ScriptedPart & { type: 'text' } {
  return { type: 'text', text: value }
}

/** A reasoning part. */
export function reasoning(value: string): ScriptedPart & { type: 'reasoning' } {
  return { type: 'reasoning', text: value }
}

/**
 * A call of a tool of the client. Without `id` the model takes `call-N`, one above the largest such number in the
 * prompt and the answer, so ids never meet within a thread, also when a new process goes on with it.
 */
export function toolCall(name: string, input: JSONValue, id?: string): ScriptedToolCall {
  return {
    type: 'tool-call',
    ...(id === undefined ? {} : { toolCallId: id }),
    toolName: name,
    input: JSON.stringify(input),
  }
}

/** Brings every form of an answer into the full one. */
export function toResponse(answer: ScriptedAnswer): ScriptedResponse {
  if (typeof answer === 'string') return { content: [text(answer)] }
  if (answer instanceof Error) return { content: [], error: answer }
  if (isList(answer)) return { content: answer }
  return 'content' in answer ? answer : { content: [answer] }
}

// Array.isArray does not narrow readonly arrays.
function isList(answer: ScriptedPart | readonly ScriptedPart[] | ScriptedResponse): answer is readonly ScriptedPart[] {
  return Array.isArray(answer)
}

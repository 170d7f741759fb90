import type { JSONSchema7, LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { KeepsakeError, throwIfAborted, untrustedSources, type CallOptions, type Message } from '@keepsake/core'
import { parseFilePath, parsePath } from '../paths.ts'
import type { MemoryToolset } from '../toolset/memory-toolset.ts'
import { shownText } from '../text.ts'
import { applyAnswer, type AppliedAnswer, type Reach } from './apply-answer.ts'
import { answerJsonSchema, parseAnswer, type AnswerProblem, type ConsolidationAnswer } from './consolidation-answer.ts'
import { consolidationPrompt } from './consolidation-prompt.ts'
import { transcriptOf } from './transcript.ts'

export interface ConsolidatorOptions {
  /** Any AI SDK model; a cheap one will do. It is asked once a conversation. */
  model: LanguageModelV4
  /** Directories in which it may make topic files. Default: none. */
  creatablePrefixes?: readonly string[]
  /** What is worth keeping in your domain, added to ours. */
  instructions?: string
  /** How much of a conversation is sent, in characters; what is older is left out. Default 100_000. */
  maxInputChars?: number
}

export interface ConsolidationOptions extends CallOptions {
  /** Files that may be changed, beside the topic files of this conversation. Each must be one of the toolset's. */
  writable?: readonly string[]
}

export interface ApplyOptions extends Pick<ConsolidationOptions, 'writable'> {
  /** What of the conversation is not to be trusted: `untrustedSources(messages)`. Files that change are in quarantine then. */
  sources?: readonly string[]
}

/** What became of a consolidation. `failed` tells a call that failed from nothing to change. */
export interface ConsolidationResult extends AppliedAnswer {
  /** Whether there was no answer that could be used. Then nothing was changed. */
  failed: boolean
  problem?: AnswerProblem | 'model_failed'
  /** Without content of the conversation. */
  message?: string
}

/** An answer that was asked for, to be applied now or later. */
export type AskedAnswer =
  | { ok: true; answer: ConsolidationAnswer }
  | { ok: false; problem: NonNullable<ConsolidationResult['problem']>; message: string }

export interface MemoryConsolidator {
  /**
   * Asks the model and applies its answer to the toolset's copy. Does not flush. What it changes after a conversation in
   * which untrusted content was read is in quarantine once it is. Throws `aborted`, never for an answer.
   */
  update(
    toolset: MemoryToolset,
    messages: readonly Message[],
    options?: ConsolidationOptions,
  ): Promise<ConsolidationResult>
  /** The first half: what the model wants changed. A conversation without words is not sent: no changes. */
  ask(toolset: MemoryToolset, messages: readonly Message[], options?: ConsolidationOptions): Promise<AskedAnswer>
  /** The second half. Applied again, to a fresh copy, an answer changes nothing more. */
  apply(toolset: MemoryToolset, answer: ConsolidationAnswer, options?: ApplyOptions): ConsolidationResult
}

/**
 * Turns a conversation into updated notes and topic files, in one model call. The answer is data: it is checked, and can
 * touch the files that it was shown as writable and make new ones under `creatablePrefixes`, nothing else; what it asks
 * for beyond that is in `refused`. A file changes by all that the answer says of it or not at all; one over the toolset's
 * `maxLines`, and one that loses half of its text without a reason, stays as it is.
 *
 * ```ts
 * const consolidator = createMemoryConsolidator({ model, creatablePrefixes: ['/topics/'] })
 * const result = await consolidator.update(toolset, messages, { writable: ['/USER.md'] })
 * await toolset.flush()
 * ```
 */
export function createMemoryConsolidator(options: ConsolidatorOptions): MemoryConsolidator {
  const { model, instructions = '', maxInputChars = 100_000 } = options
  if (typeof model?.doGenerate !== 'function') throw invalid('model must be a LanguageModelV4')
  if (!Number.isSafeInteger(maxInputChars) || maxInputChars < 1) {
    throw invalid(`maxInputChars must be a whole number from 1; it is ${String(maxInputChars)}`)
  }
  const creatable = (options.creatablePrefixes ?? []).map((prefix) => {
    const parsed = parsePath(prefix)
    if (!parsed.ok) throw invalid(`creatablePrefixes has ${JSON.stringify(prefix)}: ${parsed.message}`)
    return parsed.value.segments.length === 0 ? '' : parsed.value.path
  })

  function reachOf(toolset: MemoryToolset, writable: readonly string[] = []): Reach {
    const named = writable.flatMap((path) => {
      const parsed = parseFilePath(path)
      if (!parsed.ok) throw invalid(`writable has ${JSON.stringify(path)}: ${parsed.message}`)
      const file = toolset.copy.read(parsed.value.path)
      if (file.ok || file.code === 'not_found') return [parsed.value.path]
      if (file.code === 'in_review') return []
      throw invalid(`writable has ${parsed.value.path}, which is not below always or browse of the toolset`)
    })
    const readable = toolset.always.filter((path) => toolset.copy.read(path).ok)
    return { writable: new Set([...named, ...toolset.recalled()]), readable: new Set(readable), creatable }
  }

  async function answerOf(request: LanguageModelV4CallOptions, signal: AbortSignal | undefined): Promise<AskedAnswer> {
    try {
      const { content } = await model.doGenerate(request)
      throwIfAborted(signal)
      return parseAnswer(content.map((part) => (part.type === 'text' ? part.text : '')).join(''))
    } catch (error) {
      throwIfAborted(signal)
      const reason = error instanceof Error && error.message !== '' ? error.message : 'it gave no reason'
      return { ok: false, problem: 'model_failed', message: `The model failed: ${reason}` }
    }
  }

  const consolidator: MemoryConsolidator = {
    async ask(toolset, messages, { writable, signal } = {}) {
      throwIfAborted(signal)
      const reach = reachOf(toolset, writable)
      const { said, leftOut } = transcriptOf(messages, maxInputChars)
      if (said.length === 0) return { ok: true, answer: { changes: [] } }
      const files = [...new Set([...reach.writable, ...reach.readable])].map((path) => {
        const file = toolset.copy.read(path)
        return { path, writable: reach.writable.has(path), content: file.ok ? shownText(file.value) : '' }
      })
      const shown = new Set(files.map(({ path }) => path))
      const topics = toolset.copy.paths().filter((path) => !shown.has(path))
      const prompt = consolidationPrompt({ files, topics, creatable, said, leftOut, instructions })
      const responseFormat = { type: 'json', name: 'changes', schema: answerJsonSchema() as JSONSchema7 } as const
      return answerOf({ prompt, responseFormat, ...(signal !== undefined && { abortSignal: signal }) }, signal)
    },

    apply(toolset, answer, { writable, sources = [] } = {}) {
      return { failed: false, ...applyAnswer(toolset, answer, reachOf(toolset, writable), sources) }
    },

    async update(toolset, messages, given = {}) {
      const asked = await consolidator.ask(toolset, messages, given)
      const sources = untrustedSources(messages)
      if (asked.ok) return consolidator.apply(toolset, asked.answer, { ...given, sources })
      const { problem, message } = asked
      return { failed: true, problem, message, changed: [], created: [], unchanged: [], refused: [] }
    },
  }
  return consolidator
}

function invalid(what: string): KeepsakeError {
  return new KeepsakeError('invalid_value', `createMemoryConsolidator: ${what}.`)
}

import type { LanguageModelV4Message } from '@ai-sdk/provider'
import type { ApprovalResponsePart, Message, ToolResultPart } from '@keepsake/core'
import { copyMessage } from '../convert/as-stored.ts'
import type { AssistantPart } from '../convert/from-content.ts'
import { toPrompt } from '../convert/to-prompt.ts'

/** What the model is sent in a run: the thread as prepared, and what the run adds to it. */
export interface Transcript {
  /** What the run has added, as it will be stored: copies that nobody else has. */
  readonly produced: Message[]
  /**
   * An answer, before its calls are run: tools and readers may change what they are given. `untrusted` is what it was made
   * after reading. Throws if it cannot be stored.
   */
  addAnswer(parts: readonly AssistantPart[], untrusted: readonly string[]): void
  /** The results of its calls. */
  addResults(results: readonly (ToolResultPart | ApprovalResponsePart)[], untrusted: readonly string[]): void
  /** All of it, as a list of its own: who gets one may keep it. */
  messages(): Message[]
  /** The same for the model. */
  prompt(): LanguageModelV4Message[]
}

export function createTranscript(system: string, messages: readonly Message[]): Transcript {
  const all = [...messages]
  const prompt = toPrompt(messages)
  if (system !== '') prompt.unshift({ role: 'system', content: system })
  const produced: Message[] = []

  function add(message: Message): void {
    const kept = copyMessage(message)
    const shown = copyMessage(kept)
    produced.push(kept)
    all.push(shown)
    // Only what is new is copied and converted: a step costs the same whatever the length of the thread.
    prompt.push(...toPrompt([shown]))
  }

  return {
    produced,
    addAnswer(parts, untrusted) {
      if (parts.some(isSaid)) add({ role: 'assistant', content: [...parts], ...markOf(untrusted) })
    },
    addResults(results, untrusted) {
      if (results.length > 0) add({ role: 'tool', content: [...results], ...markOf(untrusted) })
    },
    messages: () => [...all],
    prompt: () => [...prompt],
  }
}

function markOf(untrusted: readonly string[]): Pick<Message, 'untrusted'> {
  return untrusted.length === 0 ? {} : { untrusted: [...untrusted] }
}

/** Reasoning that led to nothing is no answer: OpenAI refuses a prompt with it. */
function isSaid({ type }: AssistantPart): boolean {
  return type !== 'reasoning' && type !== 'reasoning-file'
}

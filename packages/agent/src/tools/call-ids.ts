import type { LanguageModelV4Content, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { Clock, Message } from '@keepsake/core'

/** The ids of the calls of a thread. */
export interface ThreadCallIds {
  has(id: string): boolean
  /** Whether it is a call that we run: its result is ours, whatever the model says about it. */
  isOurs(id: string): boolean
  /** Adds one that we run. */
  add(id: string): void
}

/** Reads the messages at once: what is done to them later has no bearing on it. */
export function threadCallIds(messages: readonly Message[]): ThreadCallIds {
  const ours = new Map<string, boolean>()
  for (const { content } of messages) {
    if (typeof content === 'string') continue
    for (const part of content) {
      if (part.type === 'tool-call') ours.set(part.toolCallId, part.providerExecuted !== true)
    }
  }
  return { has: (id) => ours.has(id), isOurs: (id) => ours.get(id) === true, add: (id) => void ours.set(id, true) }
}

/** Names the calls of one answer, in the order in which its parts come. */
export interface AnswerCallIds {
  /** The id of a call whose input begins to arrive. */
  open(id: string, providerExecuted: boolean): string
  /** The id of a call, whether its input was seen arriving or not. */
  call(id: string, providerExecuted: boolean): string
  /** The id of the newest call that the model named so: for the deltas of an input, and for results. */
  of(id: string): string
}

/**
 * Gives every call an id that no other call of its thread has. Results find their calls by id, so two calls with one id
 * would make the thread unreadable; some models number the calls of each answer anew. An id that is free stays as it is,
 * and so does that of a tool that the provider runs: it would not know it by another name.
 */
export function answerCallIds(taken: ThreadCallIds, clock: Clock): AnswerCallIds {
  const used = new Set<string>()
  const opened = new Map<string, string>()
  const newest = new Map<string, string>()
  function name(id: string, providerExecuted: boolean): string {
    const given = !providerExecuted && (id === '' || used.has(id) || taken.has(id)) ? clock.newId() : id
    used.add(given)
    newest.set(id, given)
    return given
  }
  return {
    open(id, providerExecuted) {
      const given = name(id, providerExecuted)
      opened.set(id, given)
      return given
    },
    call(id, providerExecuted) {
      const given = opened.get(id) ?? name(id, providerExecuted)
      opened.delete(id)
      return given
    },
    of: (id) => newest.get(id) ?? id,
  }
}

/** The part of an answer, or of its stream, with the id that its call has in the thread. */
export function withCallId<P extends LanguageModelV4Content | LanguageModelV4StreamPart>(
  part: P,
  ids: AnswerCallIds,
): P {
  switch (part.type) {
    case 'tool-input-start':
      return { ...part, id: ids.open(part.id, part.providerExecuted === true) }
    case 'tool-input-delta':
    case 'tool-input-end':
      return { ...part, id: ids.of(part.id) }
    case 'tool-call':
      return { ...part, toolCallId: ids.call(part.toolCallId, part.providerExecuted === true) }
    case 'tool-result':
    case 'tool-approval-request':
      return { ...part, toolCallId: ids.of(part.toolCallId) }
    default:
      return part
  }
}

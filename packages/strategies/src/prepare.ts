import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { CallOptions, Message, ThreadOptions } from '@keepsake/core'

/** What a step may use while it prepares a prompt. Steps that need nothing of it, such as `window`, ignore it. */
export interface PrepareContext extends CallOptions {
  threadId?: string
  /** Whose thread it is. */
  owner?: string
  /** The model that the prompt is for. */
  model?: LanguageModelV4
  /** Runs `fn` as a named step of a run, journaled where the run is durable. For whatever reads or calls a model. */
  step?<T>(name: string, fn: () => Promise<T>): Promise<T>
}

/**
 * One step from what is stored to what is sent. Never changes the list or the messages that it is given, nor what is
 * stored. Also usable alone, such as in the AI SDK's `prepareStep`.
 */
export interface Prepare<T = Message> {
  (messages: readonly T[], context?: PrepareContext): T[] | Promise<T[]>
}

/** A step that keeps something of a thread, such as its summary. */
export interface PrepareStep<T = Message> extends Prepare<T> {
  /** Removes what it keeps of a thread: called when the thread is cleared. */
  clear?(threadId: string, options?: ThreadOptions): Promise<void>
}

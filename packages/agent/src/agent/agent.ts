import {
  KeepsakeError,
  type CallOptions,
  type ChatMemory,
  type Listing,
  type ListOptions,
  type Message,
  type Thread,
} from '@keepsake/core'
import type { History } from '@keepsake/strategies'
import type { AgentOptions } from '../options/agent-options.ts'
import { checkInput, type CheckedInput } from '../options/check-input.ts'
import { checkOptions } from '../options/check-options.ts'
import type { RunInput } from '../options/run-input.ts'
import { runStream, type RunStream } from '../stream/run-stream.ts'
import type { RunResult } from './run-result.ts'
import { runTurn } from './turn.ts'

/** An agent that remembers its threads. It keeps nothing of a run once that has ended. */
export interface Agent<C> {
  /**
   * One turn: loads the thread, asks the model, runs the tools that it calls until it is done, and stores the input and
   * everything that was produced in one append. A run that fails stores nothing.
   *
   * Rejects with `invalid_value` for input that cannot be used, before anything is called; `run_failed` when the model,
   * a middleware or the time fails it (`retryable` says whether the same may work again); `aborted` by the signal; and
   * with what the history throws, such as `wrong_owner`. Of all but the first, `details.runId` names the run. What tools throw is handed
   * to the model, and so is what they give where it cannot be stored; long results keep head and tail.
   */
  run(input: RunInput<C>): Promise<RunResult>
  /** The same as a stream. Returns at once; nothing starts until it is read. */
  stream(input: RunInput<C>): RunStream
  /** The messages of a thread, oldest first. */
  messages(threadId: string, options?: CallOptions & { owner?: string; last?: number }): Promise<Message[]>
  /** The threads of an owner, newest first, or all. Throws `unsupported` for a history that is not on chat memory. */
  threads(options?: ListOptions & { owner?: string }): Listing<Thread>
  /** Removes a thread with everything in it; with `owner` only if it is theirs (`wrong_owner`). */
  deleteThread(threadId: string, options?: CallOptions & { owner?: string }): Promise<void>
}

/**
 * Puts an agent together. Costs microseconds: nothing is read, called or started before the first run. Throws
 * `invalid_value` for options that cannot be used.
 *
 * ```ts
 * const agent = createAgent({ model: openai('gpt-5'), instructions: 'You are a librarian.' })
 * const { text } = await agent.run({ threadId: 't1', prompt: 'What did I borrow?' })
 * ```
 */
export function createAgent<C = undefined>(options: AgentOptions<C>): Agent<C> {
  const setup = checkOptions(options)
  return {
    run: (input) => runTurn(setup, takeInput(input)),
    stream(input) {
      const take = takeInput(input)
      return runStream((emit) => runTurn(setup, take, emit))
    },
    async messages(threadId, { last, ...rest } = {}) {
      if (setup.chat !== undefined)
        return setup.chat.messages(threadId, { ...rest, ...(last !== undefined && { last }) })
      const messages = await kept(setup.history).load(threadId, { threadId, ...rest })
      return last === undefined ? messages : messages.slice(Math.max(0, messages.length - last))
    },
    threads: (listOptions) => listed(setup.chat).threads(listOptions),
    deleteThread: async (threadId, clearOptions) => kept(setup.history).clear(threadId, clearOptions),
  }
}

/** Checks and copies the input before the caller goes on, who may then change it. What is wrong is thrown in the run. */
function takeInput(input: unknown): () => CheckedInput {
  try {
    const checked = checkInput(input)
    return () => checked
  } catch (error) {
    return () => {
      throw error
    }
  }
}

function kept(history: History | undefined): History {
  if (history !== undefined) return history
  throw new KeepsakeError(
    'unsupported',
    "This agent keeps no history (history: 'none'): there is no thread to read or delete.",
  )
}

function listed(chat: ChatMemory<Message> | undefined): ChatMemory<Message> {
  if (chat !== undefined) return chat
  throw new KeepsakeError(
    'unsupported',
    'This agent does not know its threads: its history is none, or one of your own. List them where they are kept.',
  )
}

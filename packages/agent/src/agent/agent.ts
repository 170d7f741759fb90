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
import { agentRuns, type AgentRuns } from './agent-runs.ts'
import { listCheckpoints, type Checkpoint } from './checkpoints.ts'
import { forgetRuns } from './forget-runs.ts'
import { forkThread } from './fork-thread.ts'
import type { RunResult } from './run-result.ts'
import { forgetStateFiles } from './thread-state.ts'
import { runTurn } from './run-turn.ts'

/** An agent that remembers its threads. Its runs survive their process, where they stand in a store that does. */
export interface Agent<C> {
  /**
   * One turn: loads the thread, asks the model, runs the tools that it calls until it is done, and commits the input and
   * everything that was produced. A run that fails adds nothing to the thread. A run that was cut off, by whatever, goes on
   * when it is called again with its `runId`, or before the next run of its thread: model calls that have answered and
   * tools that have given a result are not called again.
   *
   * One thread has one run at a time; others wait for it. Where calls of tools need somebody's approval the run is
   * suspended: its result says so, and a run with `approvals` goes on with it, in any process.
   *
   * Rejects with `invalid_value` for input that cannot be used, before anything is called; `run_failed` when the model,
   * a middleware or the time fails it (`retryable` says whether the same may work again); `aborted` by the signal;
   * `conflict` where the thread is deleted meanwhile, or other runs of it take too long; and
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
  /**
   * The points that a thread can be forked from, newest first: after each step of each run. Each page reads the thread.
   * Throws `unsupported` for a history that is not on chat memory.
   */
  checkpoints(threadId: string, options?: ListOptions & { owner?: string }): Listing<Checkpoint>
  /**
   * Makes a new thread `to` of what the thread held `at` a checkpoint. Nothing connects the two from then on. Throws
   * `invalid_value` for a checkpoint that is none of the thread's, `conflict` where `to` is a thread already.
   */
  fork(threadId: string, options: CallOptions & { at: string; to: string; owner?: string }): Promise<void>
  /**
   * Removes a thread with everything in it; with `owner` only if it is theirs (`wrong_owner`). A run under way fails, and does
   * not bring it back.
   */
  deleteThread(threadId: string, options?: CallOptions & { owner?: string }): Promise<void>
  /** Waits for runs that are under way here, and for what they do when they have ended. For `waitUntil`. */
  settled(): Promise<void>
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
  let made: AgentRuns | undefined
  const runs = (): AgentRuns => (made ??= agentRuns(setup))
  return {
    run: (input) => runTurn(setup, runs, takeInput(input)),
    stream(input) {
      const take = takeInput(input)
      return runStream((emit) => runTurn(setup, runs, take, emit))
    },
    async messages(threadId, { last, ...rest } = {}) {
      if (setup.chat !== undefined)
        return setup.chat.messages(threadId, { ...rest, ...(last !== undefined && { last }) })
      const messages = await kept(setup.history).load(threadId, { threadId, ...rest })
      return last === undefined ? messages : messages.slice(Math.max(0, messages.length - last))
    },
    threads: (listOptions) => onChat(setup.chat).threads(listOptions),
    checkpoints(threadId, listOptions = {}) {
      onChat(setup.chat)
      return listCheckpoints(runs(), threadId, listOptions)
    },
    async fork(threadId, forkOptions) {
      onChat(setup.chat)
      await forkThread(runs(), threadId, forkOptions)
    },
    async deleteThread(threadId, clearOptions) {
      const history = kept(setup.history)
      await history.clear(threadId, clearOptions)
      await forgetRuns(runs(), threadId)
      if (setup.stateStore !== undefined) await forgetStateFiles(setup.stateStore, threadId)
      // What a run that was under way has written meanwhile.
      if (setup.chat !== undefined) await setup.chat.clear(threadId)
    },
    settled: async () => made?.settled(),
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

function onChat(chat: ChatMemory<Message> | undefined): ChatMemory<Message> {
  if (chat !== undefined) return chat
  throw new KeepsakeError(
    'unsupported',
    'This agent does not know its threads: its history is none, or one of your own. List them where they are kept.',
  )
}

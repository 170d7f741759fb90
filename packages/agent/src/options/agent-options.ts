import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { Clock, Run, RowStore } from '@keepsake/core'
import type { Files, MemoryToolset } from '@keepsake/files'
import type { History } from '@keepsake/strategies'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { ToolApproval } from '../agent/approvals.ts'
import type { Limits } from '../agent/limits.ts'
import type { Middleware } from '../agent/middleware.ts'
import type { Tools } from '../tools/tools.ts'

/**
 * Where the past of a thread comes from and where runs are added to it.
 *
 * - left out, or `'default'`: chat memory in the agent's `store`; all of it is sent
 * - `{ window }`: the same; the newest `window` messages are sent, whole units only
 * - `{ store, window? }`: chat memory in another store
 * - a {@link History}, such as one of `createHistory`
 * - `'none'` or `false`: nothing is loaded and nothing is stored; a run still sees its own calls and results
 */
export type HistoryOption =
  | History
  | { window: number }
  | { store: RowStore; window?: number }
  | 'default'
  | 'none'
  | false

export interface AgentOptions<C> {
  /** Any model of an AI SDK provider, such as `openai('gpt-5')`. A failed call is not repeated: see `retryable` of the error. */
  model: LanguageModelV4
  /** The beginning of the system message. Never stored. */
  instructions?: string | ((run: Run<C>) => string | Promise<string>)
  /** Made by ai's `tool()`. Each is given the run's `context`, which its `contextSchema` is checked against by type. */
  tools?: Tools<NoInfer<C>>
  /** Default: one in-memory store that is shared by the process and gone with it. */
  store?: RowStore
  history?: HistoryOption
  /** Memory files: the agent gets the file tools, and `memoryFiles` are read from here. Its own tools win over them by name. */
  files?: Files | ((run: Run<C>) => Files | Promise<Files>)
  /**
   * Files that are part of the system message of every run, in this order. `true` is `['/AGENTS.md']`. Without `files` they
   * are those of the thread's state, `stateFiles(records(store, ['threads', threadId]))`, for the agent to read and for your
   * code to write (with `subject`, so that erasing a person finds them); building the agent then warns.
   */
  memoryFiles?: true | readonly string[]
  /**
   * Long-term memory in files, of `createMemoryToolset`: loaded before a run with what its input says as the query, shown in
   * the system message, changed by its tools, and written when the run is complete; a run that fails writes none of it. One
   * toolset serves one run at a time, so agents for several at once take a function. Its own tools win by name.
   */
  toolset?: MemoryToolset | ((run: Run<C>) => MemoryToolset)
  /** Checks, and may transform, the `context` of every run. Any Standard Schema. */
  context?: StandardSchemaV1<unknown, C>
  /**
   * Whose threads these are, worked out from the context and never by the model. Left out: threads are not checked, and
   * whoever knows a `threadId` can go on with it.
   */
  owner?: (context: C) => string
  /** Whose personal data a run's messages are. Default: the owner. */
  subject?: (context: C) => string
  /**
   * Which calls of tools need somebody's approval, by tool: as in ai 7. A run that needs one is suspended; `run` with
   * `approvals` goes on with it. Whoever may approve is for your code to say.
   */
  toolApproval?: ToolApproval
  /** The first is outermost. */
  middleware?: readonly Middleware<NoInfer<C>>[]
  limits?: Limits
  /** Time and ids. Default: those of the process. */
  clock?: Clock
}

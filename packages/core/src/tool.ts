/** One run of an agent, as its tools and middleware see it. */
export interface Run<C = any> {
  readonly id: string
  readonly threadId: string
  readonly owner: string | undefined
  /** What the caller passed as `context`, checked against the agent's schema. */
  readonly context: C
  readonly signal: AbortSignal
  /** When the run started, in Unix milliseconds. */
  readonly nowMs: number
  /** Runs `fn` as a named step of this run. In a durable run the first result is kept and served again after a crash. */
  step<T>(name: string, fn: () => Promise<T>): Promise<T>
}

/** What a tool's `execute` gets: what the AI SDK passes, and more. */
export interface ToolOptions<C = any> {
  toolCallId: string
  /** The messages that were sent to the model for this step. */
  messages: any[]
  abortSignal?: AbortSignal
  context: C
  /** Left out where the tool runs in the AI SDK's own loop. */
  run?: Run<C>
  /**
   * The results of untrusted tools that the model was sent before it made this call, as `sources` for what the tool stores.
   * Left out where the tool runs in the AI SDK's own loop.
   */
  untrusted?: readonly string[]
  /**
   * Says that what this call gives comes from outside, as `untrusted` of a tool says it of all its calls: for tools of which
   * only some results do. Left out in the AI SDK's own loop.
   */
  markUntrusted?: () => void
  /** The same for every attempt at this call: hand it to services that deduplicate. */
  idempotencyKey?: string
  /** Somebody was asked whether this very call may run, and has allowed it. */
  approved?: boolean
}

/** A tool for a model. The AI SDK's `tool()` fits here, and ours fit in its `streamText`. */
export interface Tool<C = any> {
  description?: string | ((options: any) => string)
  /**
   * Whether what it gives comes from outside and may be meant to mislead: web pages, mails, files of strangers. What a model
   * has tools store after it read such a result is kept out of prompts until somebody approves it.
   */
  untrusted?: boolean
  inputSchema: any
  outputSchema?: any
  execute?: (input: any, options: ToolOptions<C> & { experimental_sandbox?: any }) => any
  toModelOutput?: (options: any) => any
}

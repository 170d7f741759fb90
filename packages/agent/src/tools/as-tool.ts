import { KeepsakeError, untrustedSources, type Run, type Tool, type ToolOptions } from '@keepsake/core'
import type { Agent } from '../agent/agent.ts'
import type { RunResult } from '../agent/run-result.ts'
import { refuse } from '../options/refuse.ts'
import { stringFields } from './string-fields.ts'

export interface AsToolOptions {
  /** Tells the model of the calling agent what this one can do. */
  description: string
  /** Tells apart the sub-agents of one agent. Default `agent`: name them where there are several. */
  name?: string
  /**
   * Keeps the sub-agent's conversation over the runs of the calling agent's thread. Default: it lasts for one run, whose
   * calls it remembers, and is removed when that has ended.
   */
  persist?: boolean
}

/** What a tool does when a run that called it is complete: for tools of ours. */
type AfterRun = (run: Pick<Run, 'threadId' | 'id'>) => Promise<void>

/**
 * An agent as a tool of another: the model hands it a task and gets its answer. It has a thread of its own, and nothing of
 * the calling agent's history, files or memory but what its own options give it; the `context` of the run goes on to it. Its
 * run is a durable one: after a crash it goes on, and one that has ended is not run again. Give it the `store` of the calling
 * agent, or another that lasts.
 *
 * An answer that it made after reading something untrusted is untrusted itself: what the calling agent stores then waits for
 * approval, too.
 *
 * Calls of its own tools that need somebody's approval are denied, and its model is told: nobody can be asked from there.
 * Throws `invalid_value` for what is no agent and for no description.
 *
 * ```ts
 * const agent = createAgent({ model, store, tools: { research: asTool(researcher, { description: 'Looks things up.' }) } })
 * ```
 */
export function asTool<C = any>(agent: Agent<C>, given: AsToolOptions): Tool<C> {
  if (typeof agent?.run !== 'function') throw refuse('asTool: the agent', 'one that createAgent has made', agent)
  const { description, persist = false } = given ?? {}
  if (typeof description !== 'string' || description === '')
    throw refuse('asTool: description', 'a text that tells the model what the agent can do', description)
  const tool: Tool<C> = {
    description,
    inputSchema: stringFields({ task: { description: 'What to do, with everything that has to be known for it.' } }),
    async execute({ task }: { task: string }, options: ToolOptions<C>) {
      const { run, context, abortSignal: signal, idempotencyKey, markUntrusted } = options
      if (run === undefined || idempotencyKey === undefined) {
        throw new KeepsakeError('unsupported', 'A sub-agent works in the run of an agent; this one was called without.')
      }
      const threadId = threadOf(run, given)
      const work = (input: object): Promise<RunResult> => agent.run({ threadId, context, signal, ...input } as never)
      let result = await work({ runId: idempotencyKey, prompt: task })
      while (result.status === 'suspended') {
        const reason = 'Nobody can be asked from within another agent.'
        result = await work({
          approvals: result.approvals.map(({ approvalId }) => ({ approvalId, approved: false, reason })),
        })
      }
      if (untrustedSources(result.messages).length > 0) markUntrusted?.()
      return result.text
    },
  }
  const afterRun: AfterRun = async (run) => {
    if (!persist) await agent.deleteThread(threadOf(run, given))
  }
  return Object.defineProperty(tool, AFTER_RUN, { value: afterRun })
}

const AFTER_RUN = 'keepsakeAfterRun'

/** What the tool does when a run that called it is complete. */
export function afterRunOf(tool: Tool): AfterRun | undefined {
  return (tool as { [AFTER_RUN]?: AfterRun })[AFTER_RUN]
}

/** Threads of sub-agents: no other has such an id by chance. */
function threadOf({ threadId, id }: Pick<Run, 'threadId' | 'id'>, { name = 'agent', persist }: AsToolOptions): string {
  return JSON.stringify(['sub-agent', threadId, name, ...(persist === true ? [] : [id])])
}

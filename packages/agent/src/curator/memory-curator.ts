import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { CallOptions, Clock } from '@keepsake/core'
import type { MemoryToolset } from '@keepsake/files'
import { createAgent } from '../agent/agent.ts'
import type { Limits } from '../agent/limits.ts'
import type { FinishReason, Usage } from '../agent/run-result.ts'
import { curationPrompt, CURATOR_RULES } from './curation-prompt.ts'

export interface CuratorOptions {
  /** Any AI SDK model. */
  model: LanguageModelV4
  /** What matters in your domain, added to ours. */
  instructions?: string
  /** Default: 40 steps. */
  limits?: Limits
  /** Time and ids. Default: those of the process. */
  clock?: Clock
}

/** How a curation ended. What it changed is told by the toolset's `flush`. */
export interface CurationResult {
  /** What the curator says it did. */
  text: string
  finishReason: FinishReason
  usage: Usage
}

export interface MemoryCurator {
  /**
   * Works on the copy of a loaded toolset, and does not flush. Throws as `agent.run` does; what was done to the copy until
   * then stays there, so load it again instead of flushing.
   */
  run(toolset: MemoryToolset, options?: CallOptions): Promise<CurationResult>
}

/**
 * An agent that tidies memory files: merges files that say nearly the same, removes what is said twice, gives files
 * descriptions by which they are found, and archives what nobody reads. For a scheduler, not for every conversation.
 *
 * It is shown how often and when each file was read (with a toolset that has `reads`), and pairs of files that nearly
 * repeat each other, both worked out without a model. A change that leaves less than half of a file needs a reason.
 *
 * ```ts
 * const toolset = createMemoryToolset(files, { browse: ['/topics/'], reads })
 * await toolset.load()
 * await createMemoryCurator({ model }).run(toolset)
 * await toolset.flush()
 * ```
 */
export function createMemoryCurator(options: CuratorOptions): MemoryCurator {
  const { model, instructions = '', limits, clock } = options
  const rules = [CURATOR_RULES, instructions].filter((text) => text !== '').join('\n\n')
  return {
    async run(toolset, { signal } = {}) {
      const { memoryTools } = await import('@keepsake/files')
      const agent = createAgent({
        model,
        instructions: rules,
        history: 'none',
        // Its own, so that it can move files and must say why half of one goes, whatever the toolset offers.
        tools: memoryTools(toolset.copy, { names: TOOLS, keepHalf: true }),
        limits: { maxSteps: 40, ...limits },
        ...(clock !== undefined && { clock }),
      })
      const prompt = curationPrompt(toolset, await toolset.topics({ signal }))
      const { text, finishReason, usage } = await agent.run({ threadId: 'curation', prompt, ...(signal && { signal }) })
      return { text, finishReason, usage }
    },
  }
}

const TOOLS = ['read_memory', 'memory_edit', 'memory_write', 'write_topic_file', 'memory_move'] as const

import { KeepsakeError, type Message, type Run, type Tool } from '@keepsake/core'
import type { FlushResult, MemoryToolset } from '@keepsake/files'
import { checkToolset } from '../options/check-toolset.ts'
import type { AgentSetup } from '../options/check-options.ts'
import { during } from './run-failed.ts'
import { textOf } from './text-of.ts'

/** The memory toolset of one run. */
export interface RunToolset {
  /** Reads its files, with what the input says as the query. */
  load(): Promise<void>
  readonly tools: Readonly<Record<string, Tool>>
  /** For the system message. */
  prompt(): string
  /** Writes what the run changed. */
  flush(): Promise<FlushResult>
  /** Lets the next run have it. */
  release(): void
}

/** Takes the toolset for this run; `undefined` where the agent has none. */
export async function takeToolset(
  setup: AgentSetup,
  run: Run,
  input: readonly Message[],
): Promise<RunToolset | undefined> {
  const { toolset: option, busyToolsets } = setup
  if (option === undefined) return undefined
  const toolset: MemoryToolset =
    typeof option === 'function' ? await during('The toolset function', () => option(run)) : option
  if (typeof option === 'function') checkToolset('What the toolset function gives', toolset)
  if (busyToolsets.has(toolset)) {
    throw new KeepsakeError(
      'conflict',
      'Another run works with this memory toolset. For several runs at once, give createAgent a function that makes one for each: toolset: (run) => createMemoryToolset(…).',
      { retryable: true },
    )
  }
  busyToolsets.add(toolset)
  const query = input
    .filter(({ role }) => role === 'user')
    .map((message) => textOf(message))
    .join('\n')
  return {
    tools: toolset.tools,
    prompt: () => toolset.render(),
    load: () => during('Loading the memory toolset', () => toolset.load({ query, signal: run.signal })),
    // Not stopped by the run's signal: half of a memory would be written. Named by the run: a replay has made its changes
    // again, on files that may hold them.
    flush: () =>
      during('Writing the memory', () => toolset.flush({ opId: `${run.id}/flush` }), {
        stored: 'The turn was not stored; some of its memory may have been written.',
      }),
    release: () => busyToolsets.delete(toolset),
  }
}

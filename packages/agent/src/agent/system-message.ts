import type { Run } from '@keepsake/core'
import type { AgentSetup } from '../options/check-options.ts'
import { refuse } from '../options/refuse.ts'
import type { RunHooks } from './middleware.ts'
import { during } from './run-failed.ts'

/**
 * The one leading system message: the agent's instructions, the memory files, what middleware adds; a blank line
 * between. Empty if there is none of them. It is made anew for each run and never stored.
 */
export async function systemMessage(
  instructions: AgentSetup['instructions'],
  memory: string,
  hooks: readonly RunHooks[],
  run: Run,
): Promise<string> {
  const own =
    typeof instructions === 'function'
      ? await during('The instructions function', () => instructions(run))
      : instructions
  if (own !== undefined && typeof own !== 'string') throw refuse('What the instructions function gives', 'a text', own)
  return [own, memory, ...hooks.map((hook) => hook.instructions)]
    .filter((text) => text !== undefined && text !== '')
    .join('\n\n')
}

import type { Tool, ToolOptions } from '@keepsake/core'
import { z } from 'zod'
import type { Result } from '../files.ts'
import type { Feature } from './features.ts'
import type { ProgressCallOptions, ProgressFiles, ProgressToolName } from './progress-files.ts'

/** The tools of progress files. Refusals are texts that begin with `Error: `. */
export function progressTools(progress: Omit<ProgressFiles, 'tools'>): Record<ProgressToolName, Tool> {
  const text = z.string().min(1)
  return {
    log_progress: tool(
      'Adds a line to the log of what was done.',
      { text: text.describe('What was done, in one line') },
      (input: { text: string }, options) => progress.log(input.text, options),
      () => 'Logged',
    ),
    set_next: tool(
      'Says what the next session begins with. Replaces what was said before.',
      { text },
      (input: { text: string }, options) => progress.setNext(input.text, options),
      () => 'Noted',
    ),
    add_feature: tool(
      'Adds something that the work must achieve, with how it is checked.',
      {
        id: text.describe('A short name'),
        description: text.describe('What must hold'),
        check: text.describe('How it is checked, such as a command'),
      },
      (input: Pick<Feature, 'id' | 'description' | 'check'>, options) => progress.addFeature(input, options),
      () => 'Added',
    ),
    check_feature: tool(
      'Runs the check of a feature. The only way for it to pass.',
      { id: text },
      (input: { id: string }, options) => progress.checkFeature(input.id, options),
      ({ passed, detail }) => `${passed ? 'Passed' : 'Failed'}${detail === undefined ? '' : `: ${detail}`}`,
    ),
    write_start_script: tool(
      'Writes the script by which a new session starts the environment.',
      { script: text },
      (input: { script: string }, options) => progress.writeStartScript(input.script, options),
      () => 'Written',
    ),
  }
}

function tool<T>(
  description: string,
  shape: Record<string, z.ZodType>,
  call: (input: any, options: ProgressCallOptions) => Promise<Result<T>>,
  show: (value: T) => string,
): Tool {
  return {
    description,
    inputSchema: z.object(shape),
    async execute(input: unknown, { abortSignal: signal, untrusted: sources }: ToolOptions) {
      const result = await call(input, { signal, sources })
      return result.ok ? show(result.value) : `Error: ${result.message}`
    },
  }
}

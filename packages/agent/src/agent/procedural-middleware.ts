import type { Records, Run, ToolOptions } from '@keepsake/core'
import { procedures, reportFailure, type OnError, type ToolUse } from '@keepsake/strategies'
import { stringFields } from '../tools/string-fields.ts'
import type { Middleware } from './middleware.ts'

export interface ProceduralMiddlewareOptions<C> {
  /** Where procedures are, or which records those are in this run: worked out from its context, never by the model. */
  // oxlint-disable-next-line typescript/no-explicit-any -- values of any shape may lie beside them
  from: Records<any> | ((run: Run<C>) => Records<any> | undefined)
  /** What kind of task a run is about. Default `'general'`. */
  taskType?: string | ((run: Run<C>) => string)
  /** Hears of what failed. Default: a warning without content on the console. */
  onError?: OnError
}

/**
 * Tells the model which skills there are (`read_skill` reads one) and what its tools have been good for in tasks of this
 * type, and counts every use of a tool. If the counting fails, `onError` hears of it and the run does not.
 */
export function proceduralMiddleware<C = any>(options: ProceduralMiddlewareOptions<C>): Middleware<C> {
  const { from, taskType = 'general', onError } = options
  const recordsOf = (run: Run<C>): Records<any> | undefined => (typeof from === 'function' ? from(run) : from)
  return {
    name: 'procedural',
    tools: {
      read_skill: {
        description: 'Read one of the skills that are listed in your instructions, by its name.',
        inputSchema: stringFields({ name: { description: 'The name of the skill.' } }),
        async execute({ name }: { name: string }, { run, abortSignal: signal }: ToolOptions<C>) {
          const records = run === undefined ? undefined : recordsOf(run)
          const skill = records === undefined ? undefined : await procedures(records).skill(name, { signal })
          return skill?.content ?? `Error: there is no skill ${name}`
        },
      },
    },
    async start(run) {
      const records = recordsOf(run)
      if (records === undefined) return undefined
      const how = procedures(records)
      const type = typeof taskType === 'function' ? taskType(run) : taskType
      const { signal } = run
      const [skills, uses] = await Promise.all([how.skills({ signal }), how.toolUse(type, { signal })])
      const sections = [
        skills.length === 0
          ? ''
          : [
              'Skills (read one with read_skill before you use it):',
              ...skills.map(({ name, description }) => `- ${inLine(name)}: ${inLine(description)}`),
            ].join('\n'),
        uses.length === 0
          ? ''
          : [`Tools in earlier tasks of this type (${inLine(type)}):`, ...uses.map(useLine)].join('\n'),
      ].filter((section) => section !== '')
      return {
        ...(sections.length > 0 && { instructions: sections.join('\n\n') }),
        async wrapTool(call, next) {
          let outcome: 'success' | 'failure' = 'failure'
          try {
            const output = await next(call)
            outcome = 'success'
            return output
          } finally {
            const { toolName: tool, toolCallId } = call
            await how
              .recordToolUse({ tool, taskType: type, outcome }, { id: `${run.id}/${toolCallId}` })
              .catch((error: unknown) => reportFailure('A use of a tool was not counted', error, onError, run.threadId))
          }
        },
      }
    },
  }
}

function useLine({ tool, success, partial, failure }: ToolUse): string {
  return `- ${inLine(tool)}: ${success} worked, ${partial} in part, ${failure} failed`
}

function inLine(text: string): string {
  return text.replaceAll(/\s*[\r\n\u2028\u2029]+\s*/g, ' ')
}

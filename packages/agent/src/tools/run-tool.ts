import { breather } from '../agent/breather.ts'
import type { Run, Tool, ToolOptions } from '@keepsake/core'

/**
 * Calls `execute` as the AI SDK does. Where it gives an async iterable, the values before the last were only previews.
 * An iteration ends early when the run is stopped.
 */
export async function runTool(
  tool: Tool,
  input: unknown,
  call: {
    toolCallId: string
    messages: unknown[]
    untrusted: readonly string[]
    markUntrusted: () => void
    approved?: boolean
  },
  run: Run,
): Promise<unknown> {
  const options: ToolOptions = {
    ...call,
    abortSignal: run.signal,
    context: run.context,
    run,
    idempotencyKey: callKey(run, call.toolCallId),
  }
  const output: unknown = tool.execute!(input, options)
  if (!isAsyncIterable(output)) return output
  const breathe = breather()
  let last: unknown
  for await (const value of output) {
    last = value
    await breathe()
    if (run.signal.aborted) break
  }
  return last
}

/** The same for every attempt at a call of a run. */
export function callKey(run: Run, toolCallId: string): string {
  return `${run.id}/${toolCallId}`
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

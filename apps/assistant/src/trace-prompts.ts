import { appendFile } from 'node:fs/promises'
import type { Middleware } from '@keepsake/agent'

/** Appends every prompt that goes to the model to a file, one line of JSON each: nothing is hidden from its owner. */
export function tracePrompts(path: string): Middleware {
  return {
    name: 'trace-prompts',
    start: (run) => ({
      async wrapModel(request, next) {
        await appendFile(
          path,
          `${JSON.stringify({ owner: run.owner, threadId: run.threadId, prompt: request.prompt })}\n`,
        )
        return next(request)
      },
    }),
  }
}

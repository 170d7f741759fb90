import type { LanguageModelV4Middleware } from '@ai-sdk/provider'
import { markRemembering } from '@keepsake/agent'
import type { History } from '@keepsake/strategies'
import { checkHistory } from './check-history.ts'
import { storedAnswer, storedStream } from './stored-answer.ts'
import { storingStream } from './storing-stream.ts'
import { beginTurn } from './turn.ts'
import { historyCall } from './with-history.ts'

/**
 * Gives any AI SDK model memory: for ai's `wrapLanguageModel`. Which thread a call belongs to is said by its
 * `providerOptions`, see `withHistory`; a call without them passes through untouched.
 *
 * Each call reads its thread, sends the model what `history.prepare` makes of it and of the call's own messages, and, when
 * the answer is complete, stores what was new and the answer in one append. A failed or aborted call stores nothing. Pass
 * the new messages alone, not the conversation: what the SDK's own loop sends again at every step is recognised. System
 * messages are sent first and never stored.
 *
 * Throws `invalid_value` for what is no history. Calls reject with `invalid_value` for wrong options, and with what the
 * history throws, such as `wrong_owner`, before the model is asked; `conflict`, `too_large` and `unavailable` may also come
 * after it, when the answer is stored. A call costs one `load` and one `append`.
 *
 * ```ts
 * const remembering = wrapLanguageModel({ model, middleware: historyMiddleware({ history }) })
 * await generateText({ model: remembering, prompt: 'Hello', providerOptions: withHistory('t1', { owner: 'ada' }) })
 * ```
 */
export function historyMiddleware(options: { history: History }): LanguageModelV4Middleware {
  const history: unknown = options?.history
  checkHistory('historyMiddleware', history)
  return {
    specificationVersion: 'v4',
    overrideSupportedUrls: ({ model }) => markRemembering(model.supportedUrls),
    async wrapGenerate({ doGenerate, params, model }) {
      const call = historyCall(params.providerOptions)
      if (call === undefined) return doGenerate()
      const turn = await beginTurn(history, call, params, model)
      if (turn.stored !== undefined) return storedAnswer(turn.stored)
      const result = await model.doGenerate(turn.params)
      await turn.store(result)
      return result
    },
    async wrapStream({ doStream, params, model }) {
      const call = historyCall(params.providerOptions)
      if (call === undefined) return doStream()
      const turn = await beginTurn(history, call, params, model)
      if (turn.stored !== undefined) return storedStream(turn.stored)
      const { stream, ...result } = await model.doStream(turn.params)
      return { ...result, stream: storingStream(stream, turn.store) }
    },
  }
}

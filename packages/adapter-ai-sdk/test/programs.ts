import type { LanguageModelV4 } from '@ai-sdk/provider'
import { chatMemory, inMemoryStore } from '@keepsake/core'
import { createHistory, window } from '@keepsake/strategies'
import { streamText, wrapLanguageModel } from 'ai'
import { historyMiddleware, withHistory } from '../src/index.ts'

/*
 * The program that users write first. That it compiles is half of what it tests; `programs.test.ts` runs it. The number is
 * that of the public API's list of programs.
 */

/** 2: streamText with memory, and a window in its own loop as well. */
export async function streamWithMemory(
  model: LanguageModelV4,
  prompts: readonly string[],
  write: (delta: string) => void,
): Promise<void> {
  const history = createHistory({ chat: chatMemory(inMemoryStore()), prepare: [window(40)] })
  const remembering = wrapLanguageModel({ model, middleware: historyMiddleware({ history }) })
  for (const prompt of prompts) {
    const result = streamText({
      model: remembering,
      prompt,
      providerOptions: withHistory('t1', { owner: 'ada' }),
      prepareStep: ({ messages }) => ({ messages: window(20)(messages) }),
    })
    for await (const delta of result.textStream) write(delta)
  }
}

/** What must not compile, and must not work either. */
export function wrong(): (() => unknown)[] {
  return [
    // @ts-expect-error there is no thread
    () => withHistory(),
    // @ts-expect-error an owner that may be missing must be looked at first
    () => withHistory('t1', { owner: undefined }),
    // @ts-expect-error there is no such option
    () => withHistory('t1', { user: 'ada' }),
    // @ts-expect-error chat memory is not a history
    () => historyMiddleware({ history: chatMemory(inMemoryStore()) }),
  ]
}

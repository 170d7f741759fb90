import type { Message } from '@keepsake/core'
import { scriptedModel, type ScriptedModel } from '../../store-testing/src/index.ts'
import { summarize, type PrepareStep, type SummarizeOptions } from '../src/index.ts'
import { textOf } from '../src/recall/recalled-message.ts'
import { user } from './messages.ts'

/** A token for each character; a message has 4 more. */
export const count = (text: string): number => text.length
/** 100 tokens. */
const long = (n: number): Message => ({ ...user(`${n} `.padEnd(96, 'x')), id: `m${n}` })
export const thread = (length: number, from = 0): Message[] => Array.from({ length }, (_, n) => long(from + n))
export const numbered = (): ScriptedModel => scriptedModel((_call, index) => `summary ${index + 1}`)
export const text = (message: Message | undefined): string => textOf(message?.content)
export const asked = (model: ScriptedModel, index: number): string => JSON.stringify(model.calls[index]!.prompt)

export function step(model: ScriptedModel, more: Partial<SummarizeOptions> = {}): PrepareStep {
  return summarize({
    model,
    triggerTokens: 1_000,
    keep: 4,
    count,
    onError: (error) => {
      throw error
    },
    ...more,
  })
}

import type { LanguageModelV4 } from '@ai-sdk/provider'
import { describeType, KeepsakeError } from '@keepsake/core'

/** Throws `invalid_value` unless it is a model of the AI SDK. */
export function checkModel(what: string, model: unknown): asserts model is LanguageModelV4 {
  if (typeof (model as LanguageModelV4 | undefined)?.doGenerate === 'function') return
  throw new KeepsakeError(
    'invalid_value',
    `${what}: model must be a language model of the AI SDK; it is ${describeType(model)}.`,
  )
}

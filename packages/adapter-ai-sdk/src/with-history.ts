import type { SharedV4ProviderOptions } from '@ai-sdk/provider'
import { describeType, KeepsakeError, utf8Length } from '@keepsake/core'

/** Which thread a call belongs to. */
export interface HistoryCall {
  threadId: string
  /** Whose thread it must be (`wrong_owner` if it is somebody else's). Left out: not checked. */
  owner?: string
  /**
   * Names what is asked, such as the id of the request: repeated under it, what is stored already is neither asked nor
   * stored again. See {@link withHistory}.
   */
  opId?: string
}

const NAME = 'keepsake'
const FIELDS = ['threadId', 'owner', 'opId'] as const satisfies (keyof HistoryCall)[]
/** In bytes of UTF-8. An `opId` becomes part of a row's key, which has 1,024, and may need two for each of its own there. */
const MAX_BYTES = { threadId: 512, owner: 512, opId: 256 }

/**
 * The provider options that give a call of `generateText` or `streamText` its thread. Each field is a text that is
 * not empty and has at most 512 bytes of UTF-8, an `opId` 256; anything else throws `invalid_value`. Spread it where there
 * are options for the provider as well.
 *
 * With `opId` a whole `generateText` may be repeated after a failure: the steps that were stored are served from the thread,
 * with the same tool calls, and the model is asked for the rest. Tools run again; a call's `toolCallId` tells them that it
 * is the same one. Use an `opId` for one thing that is asked, not for a conversation.
 *
 * ```ts
 * await generateText({ model, prompt, providerOptions: { ...withHistory('t1', { owner: 'ada' }), openai: { user: 'ada' } } })
 * ```
 */
export function withHistory(
  threadId: string,
  options: { owner?: string; opId?: string } = {},
): { keepsake: Record<string, string> } {
  if (typeof options !== 'object' || options === null) {
    throw new KeepsakeError('invalid_value', `The options of withHistory must be an object; ${found(options)}.`)
  }
  return { keepsake: { ...checkCall({ ...options, threadId }) } }
}

/** What a call says of its history, checked; `undefined` if it says nothing. */
export function historyCall(options: SharedV4ProviderOptions | undefined): HistoryCall | undefined {
  const call: unknown = options?.[NAME]
  if (call === undefined) return undefined
  if (typeof call !== 'object' || call === null || Array.isArray(call)) {
    throw new KeepsakeError(
      'invalid_value',
      `providerOptions.keepsake must be an object, such as withHistory(threadId) gives; ${found(call)}.`,
    )
  }
  return checkCall(call as Record<string, unknown>)
}

/** The options without ours: whose thread it is does not concern the provider. */
export function otherOptions(options: SharedV4ProviderOptions): SharedV4ProviderOptions | undefined {
  const { [NAME]: _, ...others } = options
  return Object.keys(others).length === 0 ? undefined : others
}

function checkCall(call: Record<string, unknown>): HistoryCall {
  for (const name of Object.keys(call)) {
    if ((FIELDS as readonly string[]).includes(name)) continue
    // A misspelt owner must not be an owner that is not checked.
    throw new KeepsakeError(
      'invalid_value',
      `providerOptions.keepsake: there is no option ${JSON.stringify(name)}. There are ${FIELDS.join(', ')}.`,
    )
  }
  const checked: Partial<HistoryCall> = {}
  for (const name of FIELDS) {
    const value = call[name]
    // One that is there but undefined is most often an owner that was not found: nobody's thread would be everybody's.
    if (name in call || name === 'threadId') checked[name] = checkId(name, value)
  }
  return checked as HistoryCall
}

function checkId(name: keyof HistoryCall, value: unknown): string {
  const must = (what: string, is = found(value)): KeepsakeError =>
    new KeepsakeError('invalid_value', `providerOptions.keepsake.${name} must be ${what}; ${is}.`)
  if (typeof value !== 'string') throw must('a text that is not empty')
  if (value === '') throw must('a text that is not empty', 'it is empty')
  if (!value.isWellFormed() || value.includes('\0')) throw must('well-formed Unicode without U+0000', 'it is not')
  if (utf8Length(value) > MAX_BYTES[name]) throw must(`at most ${MAX_BYTES[name]} bytes of UTF-8`, 'it is longer')
  return value
}

function found(value: unknown): string {
  return `it is ${describeType(value)}`
}

import { KeepsakeError, normalise, type Message } from '@keepsake/core'

/**
 * A message as it will be stored, as a copy that nobody else has. What a run stores is kept apart from what models, tools,
 * hooks and readers are given: they may change that. Throws `invalid_value` for what cannot be stored.
 */
export function copyMessage(message: Message, what = 'message'): Message {
  return normalise(message, what) as unknown as Message
}

/**
 * The same for fields of a part. Throws in words that a model may be told. They are looked at where they will be: what lies
 * in a message may have three levels less than a message.
 */
export function asStored<F extends object>(fields: F): F {
  try {
    const { content } = normalise({ content: [fields] }, 'message') as unknown as { content: [F] }
    return content[0]
  } catch (error) {
    if (!KeepsakeError.isInstance(error)) throw error
    // Said of the store. A tool may have written by now.
    throw new TypeError(error.message.replace(' Nothing was written.', ''), { cause: error })
  }
}

/** The value as JSON has it, as `JSON.stringify` sees it: a Date is its text, NaN and `undefined` are null. */
export function asJson(value: unknown): unknown {
  const json = JSON.stringify(value) as string | undefined
  return json === undefined ? null : JSON.parse(json)
}

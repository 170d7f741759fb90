import { inspect } from 'node:util'
import { KeepsakeError } from '@keepsake/core'

/** A password that no error may show. */
export const SECRET = 'hunter2-k33p'

/** The error with which a call rejects. It holds no secret, whatever hangs on it and however it is printed. */
export async function failure(call: Promise<unknown>): Promise<KeepsakeError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!KeepsakeError.isInstance(error)) throw new Error('a KeepsakeError was expected', { cause: error })
  const printed = [inspect(error, { depth: 10, showHidden: true }), JSON.stringify(error)].join('\n')
  if (printed.includes(SECRET)) throw new Error('the error shows a secret')
  return error
}

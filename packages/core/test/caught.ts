import { KeepsakeError } from '../src/errors.ts'

/** Runs `call` and returns the KeepsakeError that it throws or rejects with; anything else is a failure of the test. */
export async function caught(call: () => unknown): Promise<KeepsakeError> {
  let outcome: unknown
  try {
    outcome = await call()
  } catch (error) {
    if (KeepsakeError.isInstance(error)) return error
    throw new Error(`not a KeepsakeError: ${String(error)}`, { cause: error })
  }
  throw new Error(`no error, but ${String(outcome)}`)
}

/** The code and the message of {@link caught}, for tables. */
export async function caughtAs(call: () => unknown): Promise<string> {
  const { code, message } = await caught(call)
  return `${code}: ${message}`
}

import { expect, test } from 'vitest'
import { withRetries } from '../src/retry.ts'

const passing = new Error('passing')
const lasting = new Error('lasting')
const options = { retryTimeoutMs: 10_000, isPassing: (error: unknown) => error === passing }

/** Fails as told, then says how often it was called. */
function failing(...errors: Error[]): () => Promise<number> {
  let calls = 0
  return async () => {
    const error = errors[calls++]
    if (error !== undefined) throw error
    return calls
  }
}

test('goes on while failures may pass', async () => {
  expect(await withRetries(failing(), options)).toBe(1)
  expect(await withRetries(failing(passing, passing, passing), options)).toBe(4)
})

test('ends at one that does not', async () => {
  await expect(withRetries(failing(passing, lasting, passing), options)).rejects.toBe(lasting)
})

test('tries once where it may not try again', async () => {
  await expect(withRetries(failing(passing), { ...options, retryTimeoutMs: 0 })).rejects.toBe(passing)
})

test('ends with the last failure when the time is up', async () => {
  await expect(
    withRetries(failing(...Array.from({ length: 100 }, () => passing)), { ...options, retryTimeoutMs: 1 }),
  ).rejects.toBe(passing)
})

test('ends between two attempts when the signal fires', async () => {
  const controller = new AbortController()
  const attempt = async (): Promise<void> => {
    controller.abort()
    throw passing
  }
  await expect(withRetries(attempt, { ...options, signal: controller.signal })).rejects.toMatchObject({
    code: 'aborted',
  })
})

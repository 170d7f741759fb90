import { expect, test } from 'vitest'
import { backoff } from '../src/backoff.ts'

test('the hundredth attempt is the last, and the caller may try again', async () => {
  await expect(backoff(100, undefined)).rejects.toMatchObject({
    code: 'conflict',
    retryable: true,
    details: { attempts: 100 },
  })
})

test('the first waits at most 4 ms', async () => {
  await expect(backoff(1, undefined)).resolves.toBeUndefined()
})

test('an aborted call makes no further attempt', async () => {
  await expect(backoff(1, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'aborted' })
})

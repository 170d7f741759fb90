import { afterEach, describe, expect, it, vi } from 'vitest'
import { backoff } from '../src/backoff.ts'
import { caught } from './caught.ts'

afterEach(() => {
  vi.useRealTimers()
})

describe('backoff', () => {
  it('waits less than 50 ms, and so a test that drives time is done', async () => {
    vi.useFakeTimers()
    for (const attempt of [1, 10, 199]) {
      const waiting = backoff(attempt, 'Writing', undefined)
      await vi.advanceTimersByTimeAsync(50)
      await waiting
    }
  })

  it('gives up after 200 attempts, and says that the call may be repeated', async () => {
    const error = await caught(() => backoff(200, 'Writing a record', undefined))
    expect(error).toMatchObject({ code: 'conflict', retryable: true, details: { attempts: 200 } })
    expect(error.message).toMatch(
      /^Writing a record met another writer 200 times and gave up; nothing of it was written\./,
    )
  })

  it('does not wait for a caller who has left', async () => {
    expect((await caught(() => backoff(1, 'Writing', AbortSignal.abort()))).code).toBe('aborted')
  })
})

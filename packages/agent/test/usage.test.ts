import { expect, test } from 'vitest'
import { addUsage, toFinishReason, toUsage } from '../src/convert/usage.ts'

const unknown = {
  inputTokens: undefined,
  inputTokenDetails: { noCacheTokens: undefined, cacheReadTokens: undefined, cacheWriteTokens: undefined },
  outputTokens: undefined,
  outputTokenDetails: { textTokens: undefined, reasoningTokens: undefined },
  totalTokens: undefined,
}

test('V4 usage in the shape of ai', () => {
  const usage = toUsage({
    inputTokens: { total: 10, noCache: 6, cacheRead: 3, cacheWrite: 1 },
    outputTokens: { total: 5, text: 4, reasoning: 1 },
  })
  expect(usage).toEqual({
    inputTokens: 10,
    inputTokenDetails: { noCacheTokens: 6, cacheReadTokens: 3, cacheWriteTokens: 1 },
    outputTokens: 5,
    outputTokenDetails: { textTokens: 4, reasoningTokens: 1 },
    totalTokens: 15,
  })
  expect(addUsage(usage, usage)).toEqual({
    inputTokens: 20,
    inputTokenDetails: { noCacheTokens: 12, cacheReadTokens: 6, cacheWriteTokens: 2 },
    outputTokens: 10,
    outputTokenDetails: { textTokens: 8, reasoningTokens: 2 },
    totalTokens: 30,
  })
})

test('what is not known stays so, and adds nothing', () => {
  expect(toUsage(undefined)).toEqual(unknown)
  expect(addUsage(toUsage(undefined), toUsage(undefined))).toEqual(unknown)
  const some = toUsage({ inputTokens: { total: 3 }, outputTokens: {} } as never)
  expect(some).toEqual({ ...unknown, inputTokens: 3, totalTokens: 3 })
  expect(addUsage(toUsage(undefined), some)).toEqual(some)
})

test.each([[Number.NaN], [Infinity], [-1], ['5'], [null], [{}]])('%j is no number of tokens', (total) => {
  expect(toUsage({ inputTokens: { total }, outputTokens: { total } } as never)).toEqual(unknown)
})

test('finish reasons', () => {
  for (const unified of ['stop', 'length', 'content-filter', 'tool-calls', 'error', 'other'] as const) {
    expect(toFinishReason({ unified, raw: undefined })).toBe(unified)
  }
  for (const reason of [undefined, null, 'stop', {}, { unified: 'bored' }, { unified: '__proto__' }]) {
    expect(toFinishReason(reason as never)).toBe('other')
  }
})

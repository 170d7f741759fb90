import { expect, test } from 'vitest'
import { inParallel } from '../src/in-parallel.ts'

test('answers are in the order of the items, whichever ends first', async () => {
  const gates = [0, 1, 2].map(() => Promise.withResolvers<string>())
  const working = inParallel([0, 1, 2], 3, (item) => gates[item]!.promise)
  for (const item of [2, 0, 1]) gates[item]!.resolve(`answer ${item}`)
  expect(await working).toEqual(['answer 0', 'answer 1', 'answer 2'])
})

test('no more than so many are under way', async () => {
  let underWay = 0
  let most = 0
  await inParallel(Array.from({ length: 20 }), 3, async () => {
    most = Math.max(most, ++underWay)
    await new Promise((resolve) => setImmediate(resolve))
    underWay--
  })
  expect(most).toBe(3)
})

test('after a failure nothing more begins, and it rejects when all that had begun has ended', async () => {
  const slow = Promise.withResolvers<void>()
  const begun: number[] = []
  let over = false
  const working = inParallel([0, 1, 2, 3], 2, async (item) => {
    begun.push(item)
    if (item === 0) throw new Error('the first')
    await slow.promise
  }).catch((error: unknown) => {
    over = true
    return error
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect(over).toBe(false)
  slow.resolve()
  expect(await working).toEqual(new Error('the first'))
  expect(begun).toEqual([0, 1])
})

test('no items are no work', async () => {
  expect(await inParallel([], 5, async () => 1)).toEqual([])
})

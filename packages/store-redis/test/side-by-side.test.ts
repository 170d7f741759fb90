import { expect, test } from 'vitest'
import { byEntity, sideBySide } from '../src/side-by-side.ts'

const item = (entity: string, n: number): { entity: string; n: number } => ({ entity, n })

test('answers come back in the order of the items, whichever entity they are of', async () => {
  const items = [item('a', 1), item('b', 2), item('a', 3), item('c', 4), item('b', 5)]
  const seen: string[] = []
  const answers = await byEntity(items, async (entity, group) => {
    seen.push(`${entity}${group.map(({ n }) => n).join('')}`)
    return group.map(({ n }) => n * 10)
  })
  expect(answers).toEqual([10, 20, 30, 40, 50])
  expect(seen).toEqual(['a13', 'b25', 'c4'])
})

test('no items are no work', async () => {
  expect(await byEntity([], () => Promise.reject(new Error('called')))).toEqual([])
})

test('at most 32 are under way, and all are done', async () => {
  let underWay = 0
  let most = 0
  let done = 0
  await sideBySide(Array.from({ length: 100 }), async () => {
    most = Math.max(most, ++underWay)
    await new Promise(setImmediate)
    underWay--
    done++
  })
  expect([most, done]).toEqual([32, 100])
})

test('after a failure nothing is begun, and what had begun is waited for', async () => {
  const slow = Promise.withResolvers<void>()
  const begun: number[] = []
  let ended = false
  const all = sideBySide(
    Array.from({ length: 100 }, (_, i) => i),
    async (i) => {
      begun.push(i)
      if (i === 3) throw new Error('third')
      await slow.promise
      ended = true
    },
  )
  await new Promise(setImmediate)
  slow.resolve()
  await expect(all).rejects.toThrow('third')
  expect(ended).toBe(true)
  expect(begun).toEqual(Array.from({ length: 32 }, (_, i) => i))
})

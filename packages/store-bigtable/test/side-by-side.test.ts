import { expect, test } from 'vitest'
import { sideBySide } from '../src/side-by-side.ts'

/** Work that ends when it is told to. */
function heldWork(): { begun: string[]; work: (item: string) => Promise<string>; end: (item: string) => void } {
  const begun: string[] = []
  const held = new Map<string, PromiseWithResolvers<string>>()
  return {
    begun,
    work(item) {
      begun.push(item)
      const ending = Promise.withResolvers<string>()
      held.set(item, ending)
      return ending.promise
    },
    end: (item) => held.get(item)!.resolve(item.toUpperCase()),
  }
}

const turns = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('as many at a time as there are lanes, those of one key in order, answers in the order of the items', async () => {
  const { begun, work, end } = heldWork()
  const done = sideBySide(['a1', 'b1', 'a2', 'c1'], (item) => item[0]!, 2, work)
  await turns()
  expect(begun).toEqual(['a1', 'b1'])
  end('b1')
  await turns()
  // The other item of key a waits for the first one.
  expect(begun).toEqual(['a1', 'b1', 'c1'])
  end('a1')
  await turns()
  expect(begun).toEqual(['a1', 'b1', 'c1', 'a2'])
  end('c1')
  end('a2')
  expect(await done).toEqual(['A1', 'B1', 'A2', 'C1'])
})

test('after a failure nothing more is begun, and it rejects when what had begun has ended', async () => {
  const begun: string[] = []
  const slow = Promise.withResolvers<string>()
  let ended = false
  const done = sideBySide(
    ['slow', 'bad', 'next'],
    (item) => item,
    2,
    (item) => {
      begun.push(item)
      return item === 'slow' ? slow.promise : Promise.reject(new Error('no'))
    },
  ).finally(() => (ended = true))
  const outcome = expect(done).rejects.toThrow('no')
  await turns()
  expect(ended).toBe(false)
  slow.resolve('')
  await outcome
  expect(begun).toEqual(['slow', 'bad'])
})

test('nothing to do', async () => {
  expect(await sideBySide([], String, 5, () => Promise.reject(new Error('never')))).toEqual([])
})

import type { Message } from '@keepsake/core'
import { expectEqual } from '../expect.ts'
import { together } from '../together.ts'
import { expectMessages } from './expect-messages.ts'
import { historyCasesOf, type HistoryCase } from './history-case.ts'
import { answered, asked, textsOf } from './messages.ts'

const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i)

export const appendCases: HistoryCase[] = historyCasesOf('append', [
  [
    'load sees an append as soon as it has returned',
    async ({ history, thread }) => {
      const id = thread()
      const all: Message[] = []
      for (const i of numbers(20)) {
        const turn = [asked(`q${i}`), answered(`a${i}`)]
        await history.append(id, turn)
        all.push(...turn)
        expectMessages(await history.load(id), all, `after append ${i}`)
      }
    },
  ],
  [
    'messages keep their order, within an append and over appends',
    async ({ history, thread }) => {
      const id = thread()
      await history.append(id, [asked('1'), answered('2'), asked('3'), answered('4')])
      await history.append(id, [asked('5')])
      await history.append(id, [answered('6'), asked('7')])
      expectEqual(textsOf(await history.load(id)), ['1', '2', '3', '4', '5', '6', '7'], 'texts')
    },
  ],
  [
    '50 appends at once are all there, each in one piece',
    async ({ history, thread }) => {
      const id = thread()
      await history.append(id, [asked('first')])
      await together(numbers(50).map((i) => history.append(id, [asked(`q${i}`), answered(`a${i}`)])))
      await history.append(id, [asked('last')])
      const texts = textsOf(await history.load(id)).map(String)
      expectEqual([texts[0], texts.at(-1), texts.length], ['first', 'last', 102], 'first, last and number of messages')
      const pairs = numbers(50).map((i) => `${texts[1 + 2 * i]} ${texts[2 + 2 * i]}`)
      expectEqual(
        pairs.toSorted(),
        numbers(50)
          .map((i) => `q${i} a${i}`)
          .toSorted(),
        'turns between them',
      )
    },
  ],
  [
    'of many writers at once, each finds its own appends in the order in which it made them',
    async ({ history, thread }) => {
      const id = thread()
      const writers = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
      const write = async (writer: string): Promise<void> => {
        for (const i of numbers(6)) await history.append(id, [asked(`${writer}${i}`)])
      }
      await together(writers.map(write))
      const texts = textsOf(await history.load(id)).map(String)
      for (const writer of writers) {
        const own = texts.filter((text) => text.startsWith(writer))
        expectEqual(
          own,
          numbers(6).map((i) => `${writer}${i}`),
          `appends of ${writer}`,
        )
      }
    },
  ],
  [
    'a thread of 300 appends loads whole',
    async ({ history, thread }) => {
      const id = thread()
      for (const i of numbers(300)) await history.append(id, [asked(`${i}`)])
      expectEqual(textsOf(await history.load(id)), numbers(300).map(String), 'texts')
    },
  ],
  [
    'an append of 300 messages loads whole',
    async ({ history, thread }) => {
      const id = thread()
      await history.append(
        id,
        numbers(300).map((i) => asked(`${i}`)),
      )
      expectEqual(textsOf(await history.load(id)), numbers(300).map(String), 'texts')
    },
  ],
  [
    'an append with the same opId is stored once',
    async ({ history, thread }) => {
      const id = thread()
      await history.append(id, [asked('a'), answered('b')], { opId: 'op-1' })
      await history.append(id, [asked('a'), answered('b')], { opId: 'op-1' })
      await history.append(id, [asked('c')])
      await history.append(id, [asked('a'), answered('b')], { opId: 'op-1' })
      expectEqual(textsOf(await history.load(id)), ['a', 'b', 'c'], 'texts')
    },
  ],
  [
    'of appends with the same opId at once one is stored',
    async ({ history, thread }) => {
      const id = thread()
      await together(numbers(8).map(() => history.append(id, [asked('a'), answered('b')], { opId: 'op-1' })))
      expectEqual(textsOf(await history.load(id)), ['a', 'b'], 'texts')
    },
  ],
  [
    'equal messages are stored each time: without an opId, with others, in another thread',
    async ({ history, thread }) => {
      const [one, two] = [thread('1'), thread('2')]
      await history.append(one, [asked('ok')])
      await history.append(one, [asked('ok')])
      await history.append(one, [asked('ok')], { opId: 'op-1' })
      await history.append(one, [asked('ok')], { opId: 'op-2' })
      await history.append(two, [asked('ok')], { opId: 'op-1' })
      expectEqual(textsOf(await history.load(one)), ['ok', 'ok', 'ok', 'ok'], 'texts of the first thread')
      expectEqual(textsOf(await history.load(two)), ['ok'], 'texts of the second thread')
    },
  ],
  [
    'what is stored does not change with the objects that were passed in or handed out',
    async ({ history, thread }) => {
      const id = thread()
      const message: Message = { role: 'user', content: [{ type: 'text', text: 'as it was' }] }
      const list: Message[] = [message]
      await history.append(id, list)
      Object.assign(message, { content: 'changed' })
      list.push(asked('added'))
      const first = await history.load(id)
      Object.assign(first[0]!, { content: 'changed' })
      first.push(asked('added'))
      expectMessages(await history.load(id), [{ role: 'user', content: [{ type: 'text', text: 'as it was' }] }])
    },
  ],
])

export const handleCases: HistoryCase[] = historyCasesOf('handles', [
  [
    'load sees what another handle has appended, and what it has cleared',
    async ({ history, thread, open }) => {
      const id = thread()
      const other = await open()
      expectEqual(textsOf(await other.load(id)), [], 'texts before')
      await history.append(id, [asked('1')])
      expectEqual(textsOf(await other.load(id)), ['1'], 'texts in the other handle')
      await other.append(id, [answered('2')])
      expectEqual(textsOf(await history.load(id)), ['1', '2'], 'texts in the first handle')
      await other.clear(id)
      expectEqual(textsOf(await history.load(id)), [], 'texts after clear')
    },
  ],
  [
    'an append with the same opId is stored once, whichever handle repeats it',
    async ({ history, thread, open }) => {
      const id = thread()
      const other = await open()
      await history.append(id, [asked('a')], { opId: 'op-1' })
      await other.append(id, [asked('a')], { opId: 'op-1' })
      expectEqual(textsOf(await other.load(id)), ['a'], 'texts')
    },
  ],
])

import { shown } from '../cases/rows.ts'
import { expectEqual } from '../expect.ts'
import { historyCasesOf, type HistoryCase, type HistoryCaseEntry } from './history-case.ts'
import { answered, asked, textsOf } from './messages.ts'

/** Ids that some store, path, pattern or object has a meaning for. All of them are ordinary. */
const hostileIds: readonly string[] = [
  ['__proto__', 'constructor', 'toString', 'null', '0', '-1'],
  ['%', '_', '*', '?', '\\', 'a/b', '..', '../a', 'a:b', 'a.b', '[a-z]', '{a}', '%2F', '#', '~'],
  ["'", '"', "'; DROP TABLE keepsake_rows; --", '<b>', '${a}'],
  [' ', ' a', 'a ', '\t', 'a\nb', '\u00A0', '\uFEFF', '\u0001', 'a\u0002b'],
  ['é', 'e\u0301', 'ß', '日本語', '😀', '👩\u200D👩\u200D👧', '\u{10FFFF}', '\uFFFF'],
].flat()

/** Names that some store takes for one, or one for the beginning or the pattern of another. */
const likeIds: readonly string[] = [
  '',
  'a',
  'A',
  'a ',
  ' a',
  'aa',
  'ab',
  'a/b',
  'a%',
  'a_',
  'á',
  'a\u0301',
  'а',
  'a\u200B',
]

export const threadCases: HistoryCase[] = historyCasesOf('threads', [
  [
    'a thread that was never used is empty, and clearing it does nothing',
    async ({ history, thread }) => {
      const id = thread()
      expectEqual(await history.load(id), [], 'messages')
      await history.clear(id)
      expectEqual(await history.load(id), [], 'messages after clear')
    },
  ],
  [
    'threads with similar ids are separate',
    async ({ history, thread }) => {
      for (const name of likeIds) await history.append(thread(name), [asked(name), answered('x')])
      for (const name of likeIds) {
        expectEqual(textsOf(await history.load(thread(name))), [name, 'x'], `thread ${shown(name)}`)
      }
    },
  ],
  [
    'clear empties its thread and no other',
    async ({ history, thread }) => {
      for (const name of likeIds) await history.append(thread(name), [asked(name)])
      for (const [i, name] of likeIds.entries()) {
        await history.clear(thread(name))
        for (const [j, other] of likeIds.entries()) {
          const what = `thread ${shown(other)} after clear of ${shown(name)}`
          expectEqual(textsOf(await history.load(thread(other))), j <= i ? [] : [other], what)
        }
      }
    },
  ],
  [
    'a thread that was cleared can be used again',
    async ({ history, thread }) => {
      const id = thread()
      await history.append(id, [asked('before')])
      await history.clear(id)
      await history.append(id, [asked('after')])
      expectEqual(textsOf(await history.load(id)), ['after'], 'texts')
    },
  ],
  ...hostileIds.map((id): HistoryCaseEntry => [
    `a thread id that ends in ${shown(id)} is one like any other`,
    async ({ history, thread }) => {
      await history.append(thread(id), [asked('1')])
      await history.append(thread(id), [answered('2')])
      expectEqual(textsOf(await history.load(thread(id))), ['1', '2'], 'texts')
      await history.clear(thread(id))
      expectEqual(await history.load(thread(id)), [], 'messages after clear')
    },
  ]),
  [
    'the thread ids __proto__, constructor and % are ones like any other',
    async ({ history }) => {
      for (const id of ['__proto__', 'constructor', '%']) {
        await history.clear(id)
        expectEqual(await history.load(id), [], `${id} at first`)
        await history.append(id, [asked(id)])
        expectEqual(textsOf(await history.load(id)), [id], id)
        await history.clear(id)
        expectEqual(await history.load(id), [], `${id} after clear`)
      }
    },
  ],
])

import { chatMemory, type ChatMemory, type Message } from '@keepsake/core'
import { sqliteStore } from '@keepsake/store-sql/sqlite'
import { countingStore, countsOf, type Counts } from './counting-store.ts'
import { micros, type Line } from './line.ts'
import { compare, WARM_UP_ROUNDS, type Comparison, type Sizes } from './measure.ts'
import { tempFolder } from './temp-folder.ts'

export interface ThreadSizes extends Sizes {
  /** Messages of the long thread. */
  long: number
}

/** The same operation on a short thread and on the long one. */
export interface ThreadComparison {
  time: Comparison
  short: Counts
  long: Counts
}

const SHORT = 10
const LAST = 20
const LONG_THREAD = 'long'
const LAST_THREAD = 'last'
/** How much more time a long thread may take: the index is deeper, and the machine is not quiet. */
const TIME_GOAL = 1.25

/** Appending to a long thread and reading its end, beside the same on a short one, in one SQLite file. */
export async function benchThread(sizes: ThreadSizes = { long: 10_000, rounds: 150, operations: 5 }): Promise<Line[]> {
  const { append, last } = await measureThread(sizes)
  const appendTo = `append: ${sizes.long} messages beside ${SHORT}`
  const readOf = `last ${LAST}: of ${sizes.long} messages beside ${LAST}`
  return [
    timeLine(appendTo, append),
    countLine(`${appendTo}, rows read`, append, 'rowsRead'),
    countLine(`${appendTo}, rows written`, append, 'rowsWritten'),
    countLine(`${appendTo}, bytes written`, append, 'bytesWritten'),
    timeLine(readOf, last),
    countLine(`${readOf}, rows read`, last, 'rowsRead'),
    countLine(`${readOf}, bytes read`, last, 'bytesRead'),
  ]
}

export async function measureThread(sizes: ThreadSizes): Promise<{ append: ThreadComparison; last: ThreadComparison }> {
  using folder = tempFolder()
  await using file = sqliteStore({ path: folder.file('threads.db'), durability: 'process' })
  const { store, counts } = countingStore(file)
  const chat = chatMemory(store)
  const turns = (sizes.rounds + WARM_UP_ROUNDS) * sizes.operations

  await fill(chat, LONG_THREAD, sizes.long)
  await fill(chat, LAST_THREAD, LAST)
  // Each short thread is appended to once: it would not stay short.
  for (let turn = 0; turn <= turns; turn++) await fill(chat, shortThread(turn), SHORT)

  const appendTo = (thread: string) => chat.append(thread, [message(sizes.long)])
  const readLast = (thread: string) => chat.messages(thread, { last: LAST })
  return {
    last: {
      short: await countsOf(counts, () => readLast(LAST_THREAD)),
      long: await countsOf(counts, () => readLast(LONG_THREAD)),
      time: await compare({ base: () => readLast(LAST_THREAD), ours: () => readLast(LONG_THREAD) }, sizes),
    },
    append: {
      short: await countsOf(counts, () => appendTo(shortThread(turns))),
      long: await countsOf(counts, () => appendTo(LONG_THREAD)),
      time: await compare({ base: (turn) => appendTo(shortThread(turn)), ours: () => appendTo(LONG_THREAD) }, sizes),
    },
  }
}

async function fill(chat: ChatMemory<Message>, thread: string, messages: number): Promise<void> {
  for (let i = 0; i < messages; i++) await chat.append(thread, [message(i)])
}

function shortThread(turn: number): string {
  return `short-${turn}`
}

function message(index: number): Message {
  return { role: index % 2 === 0 ? 'user' : 'assistant', content: 'x'.repeat(200) }
}

function timeLine(what: string, { time }: ThreadComparison): Line {
  return { what, base: micros(time.baseMicros), ours: micros(time.oursMicros), ratio: time.ratio, goal: TIME_GOAL }
}

function countLine(what: string, { short, long }: ThreadComparison, count: keyof Counts): Line {
  return { what, base: String(short[count]), ours: String(long[count]), ratio: long[count] / short[count], goal: 1 }
}

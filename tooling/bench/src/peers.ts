import { chatMemory, type Message, type RowStore } from '@keepsake/core'
import { postgresStore } from '@keepsake/store-sql/postgres'
import { sqliteStore } from '@keepsake/store-sql/sqlite'
import { answers } from './answers.ts'
import { compareLatencies } from './latencies.ts'
import { micros, type Line } from './line.ts'
import type { Pair, Sizes } from './measure.ts'
import { ownName } from './own-name.ts'
import { openLangGraphPostgres, openLangGraphSqlite } from './peer-langgraph.ts'
import { openMastraPostgres } from './peer-mastra.ts'
import { tempFolder } from './temp-folder.ts'
import { textOf, type OpenThreadPeer, type ThreadPeer } from './thread-peer.ts'
import { postgresUrl, subjects } from './subjects.ts'

export interface PeerSizes extends Sizes {
  /** Messages of the threads that are appended to and read. */
  lengths: readonly number[]
}

const LAST = 20
/** No slower than any of them. */
const GOAL = 1
/** A thread that is shorter is appended to once only: it would not stay short. */
const LONG = 500

const PEERS: readonly { name: string; on: 'PostgreSQL' | 'SQLite'; open: OpenThreadPeer }[] = [
  { name: 'LangGraph PostgresSaver', on: 'PostgreSQL', open: openLangGraphPostgres },
  { name: 'Mastra MemoryPG', on: 'PostgreSQL', open: openMastraPostgres },
  { name: 'LangGraph SqliteSaver', on: 'SQLite', open: openLangGraphSqlite },
]

/** Appending a message, and reading the newest 20, beside what others offer on the same server or the same disk. */
export async function benchPeers(
  sizes: PeerSizes = { lengths: [10, 1000, 10_000], rounds: 5, operations: 4 },
): Promise<Line[]> {
  const lines: Line[] = []
  for (const { name, on, open } of PEERS) {
    const { server } = subjects.find((subject) => subject.name === on)!
    if (server !== undefined && !(await answers(server))) {
      lines.push({ what: name, base: `nobody at ${server}`, ours: 'skipped' })
      continue
    }
    using folder = tempFolder()
    await using peer = await open(on === 'SQLite' ? folder.file('peer.db') : postgresUrl)
    await using store =
      on === 'SQLite'
        ? sqliteStore({ path: folder.file('ours.db'), durability: 'process' })
        : postgresStore({ url: postgresUrl, table: ownName('peers') })
    await store.provision()
    lines.push(...(await compareWith(name, peer, keepsakeOn(store), sizes)))
    await store.provision({ down: true })
  }
  return lines
}

/** Threads of chat memory, as the peers are. */
export function keepsakeOn(store: RowStore): ThreadPeer {
  const chat = chatMemory(store)
  return {
    async fill(thread, messages) {
      for (let at = 0; at < messages; at += 100) {
        const some = Array.from({ length: Math.min(100, messages - at) }, (_, i) => message(at + i))
        await chat.append(thread, some)
      }
    },
    async append(thread, number) {
      await chat.append(thread, [message(number)])
    },
    last: async (thread, count) =>
      (await chat.messages(thread, { last: count })).map(({ content }) => content as string),
    async [Symbol.asyncDispose]() {},
  }
}

function message(number: number): Message {
  return { role: number % 2 === 0 ? 'user' : 'assistant', content: textOf(number) }
}

async function compareWith(name: string, base: ThreadPeer, ours: ThreadPeer, sizes: PeerSizes): Promise<Line[]> {
  const lines: Line[] = []
  for (const length of sizes.lengths) {
    const turns = (sizes.rounds + Math.ceil(sizes.rounds / 4)) * sizes.operations
    const threadOf = (turn: number): string => (length < LONG ? `${length}-${turn}` : `${length}`)
    const threads = new Set(Array.from({ length: turns }, (_, turn) => threadOf(turn)))
    for (const thread of threads) for (const way of [base, ours]) await way.fill(thread, length)

    const numberAt = (turn: number): number => length + (length < LONG ? 0 : turn)
    const pairs: [string, Pair][] = [
      [
        `append to ${length}`,
        {
          base: (turn) => base.append(threadOf(turn), numberAt(turn)),
          ours: (turn) => ours.append(threadOf(turn), numberAt(turn)),
        },
      ],
      [
        `last ${LAST} of ${length}`,
        { base: (turn) => base.last(threadOf(turn), LAST), ours: (turn) => ours.last(threadOf(turn), LAST) },
      ],
    ]
    for (const [what, pair] of pairs) lines.push(...(await linesOf(`${name}: ${what}`, pair, sizes)))

    const newest = numberAt(turns - 1)
    const expected = Array.from({ length: Math.min(LAST, newest + 1) }, (_, i) =>
      textOf(i + Math.max(0, newest - LAST + 1)),
    )
    for (const way of [base, ours]) {
      const found = await way.last(threadOf(turns - 1), LAST)
      if (JSON.stringify(found) !== JSON.stringify(expected))
        throw new Error(`${name}: other messages than were appended`)
    }
  }
  return lines
}

async function linesOf(what: string, pair: Pair, sizes: Sizes): Promise<Line[]> {
  const { base, ours } = await compareLatencies(pair, sizes)
  const line = (p: 'p50Micros' | 'p95Micros') => ({
    base: micros(base[p]),
    ours: micros(ours[p]),
    ratio: ours[p] / base[p],
  })
  return [
    { what: `${what}, p50`, ...line('p50Micros'), goal: GOAL },
    { what: `${what}, p95`, ...line('p95Micros') },
  ]
}

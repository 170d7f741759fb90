import { randomUUID } from 'node:crypto'
import { createAgent } from '@keepsake/agent'
import { chatMemory, inMemoryStore, type Message, type RowStore } from '@keepsake/core'
import { redisStore } from '@keepsake/store-redis'
import { postgresStore } from '@keepsake/store-sql/postgres'
import { sqliteStore } from '@keepsake/store-sql/sqlite'
import { countingStore, countsOf, type Counts } from './counting-store.ts'
import { instantModel } from './instant-model.ts'
import { memorySaverTurn, postgresSaverTurn, type LanggraphTurn } from './langgraph-turn.ts'
import { micros, type Line } from './line.ts'
import { compare, median, type Sizes } from './measure.ts'
import { tempFolder } from './temp-folder.ts'

export interface TurnSizes extends Sizes {
  /** Messages of the thread before anything is measured. */
  messages: number
  /** Messages of the long thread, whose turn may not write more. */
  long: number
}

/** A durable turn, its own time, and what it does on its store. */
export interface TurnTimes {
  /** Medians, in microseconds. */
  totalMicros: number
  ownMicros: number
  counts: Counts
}

const OWN_MICROS = 2_000
const RATIO_GOAL = 1.5
const WRITES = 3
const POSTGRES_URL = process.env['KEEPSAKE_POSTGRES_URL'] ?? 'postgres://postgres@127.0.0.1:5432/test'
const REDIS_URL = process.env['KEEPSAKE_REDIS_URL'] ?? 'redis://127.0.0.1:6379'

/** A durable turn of an agent with one model call, on each store. The servers must run. */
export async function benchTurn(
  sizes: TurnSizes = { messages: 200, long: 10_000, rounds: 60, operations: 1 },
): Promise<Line[]> {
  const name = `keepsake_bench_turn_${randomUUID().replaceAll('-', '')}`
  using folder = tempFolder()
  await using stack = new AsyncDisposableStack()
  const postgres = stack.use(postgresStore({ url: POSTGRES_URL, table: name }))
  await postgres.provision()
  stack.defer(() => postgres.provision({ down: true }))
  const redis = stack.use(redisStore({ url: REDIS_URL, prefix: name }))
  stack.defer(
    async () => void (await Promise.all((await redis.entities({ limit: 100 })).map((one) => redis.removeEntity(one)))),
  )
  const sqlite = stack.use(sqliteStore({ path: folder.file('turn.db') }))
  const lines: Line[] = []
  for (const [what, store, goal] of [
    ['memory', inMemoryStore(), undefined],
    ['SQLite', sqlite, undefined],
    ['PostgreSQL', postgres, RATIO_GOAL],
    ['Redis', redis, RATIO_GOAL],
  ] as const) {
    const times = await measureTurn(store, sizes)
    lines.push(...storeLines(what, times, goal))
  }
  lines.push(await bytesLine(sizes))
  lines.push(
    await besideLanggraph('memory, beside MemorySaver', inMemoryStore(), await memorySaverTurn(sizes.messages), sizes),
  )
  const saver = await postgresSaverTurn(POSTGRES_URL, sizes.messages)
  lines.push(await besideLanggraph('PostgreSQL, beside PostgresSaver', postgres, saver, sizes))
  return lines
}

function storeLines(what: string, { totalMicros, ownMicros, counts }: TurnTimes, goal: number | undefined): Line[] {
  const storeMicros = totalMicros - ownMicros
  const times = { base: micros(storeMicros), ours: micros(totalMicros), ratio: totalMicros / storeMicros }
  const calls = `${counts.writes} calls`
  return [
    { what: `${what}: a turn beside its store calls`, ...times, ...(goal !== undefined && { goal }) },
    {
      what: `${what}: own time`,
      base: `${micros(OWN_MICROS)} allowed`,
      ours: micros(ownMicros),
      ratio: ownMicros / OWN_MICROS,
      // On a server other things wait in our time: there the ratio counts.
      ...(what === 'memory' && { goal: 1 }),
    },
    { what: `${what}: writes`, base: `${WRITES} allowed`, ours: calls, ratio: counts.writes / WRITES, goal: 1 },
  ]
}

/** Turns on a thread, which grows by two messages with each; as many on another before it, while code is compiled. */
export async function measureTurn(store: RowStore, { messages, rounds }: TurnSizes): Promise<TurnTimes> {
  const { store: counting, counts, busyMs } = countingStore(store)
  const agent = createAgent({ model: instantModel, store: counting })
  const totals: number[] = []
  const owns: number[] = []
  let counted: Counts | undefined
  for (const measured of [false, true]) {
    const threadId = randomUUID()
    await fill(store, threadId, messages)
    for (let round = 0; round < rounds; round++) {
      await agent.settled()
      const startMs = performance.now()
      const startBusyMs = busyMs()
      counted = await countsOf(counts, () => agent.run({ threadId, prompt: 'And now?' }))
      const totalMs = performance.now() - startMs
      if (!measured) continue
      totals.push(totalMs * 1_000)
      owns.push((totalMs - (busyMs() - startBusyMs)) * 1_000)
    }
  }
  await agent.settled()
  return { totalMicros: median(totals), ownMicros: median(owns), counts: counted! }
}

/** The bytes that a turn writes to a short thread and to a long one. */
export async function turnBytes({ long }: Pick<TurnSizes, 'long'>): Promise<{ short: number; long: number }> {
  const bytes: number[] = []
  for (const messages of [10, long]) {
    const { store, counts } = countingStore(inMemoryStore())
    await fill(store, 't', messages)
    const agent = createAgent({ model: instantModel, store })
    const turn = (runId: string) => () => agent.run({ threadId: 't', prompt: 'And now?', runId })
    // The first turn of an agent is another's: its engine has nothing to clean up yet.
    await turn('run-1')()
    bytes.push((await countsOf(counts, turn('run-2'))).bytesWritten)
  }
  return { short: bytes[0]!, long: bytes[1]! }
}

async function bytesLine(sizes: TurnSizes): Promise<Line> {
  const { short, long } = await turnBytes(sizes)
  const what = `bytes written: ${sizes.long} messages beside 10`
  return { what, base: `${short} B`, ours: `${long} B`, ratio: long / short, goal: 1.01 }
}

async function besideLanggraph(
  what: string,
  store: RowStore,
  langgraph: LanggraphTurn,
  sizes: TurnSizes,
): Promise<Line> {
  await using theirs = langgraph
  const threadId = randomUUID()
  await fill(store, threadId, sizes.messages)
  const agent = createAgent({ model: instantModel, store })
  const pair = { base: () => theirs.run(), ours: () => agent.run({ threadId, prompt: 'And now?' }) }
  const { baseMicros, oursMicros, ratio } = await compare(pair, sizes)
  await agent.settled()
  return { what, base: micros(baseMicros), ours: micros(oursMicros), ratio }
}

async function fill(store: RowStore, threadId: string, messages: number): Promise<void> {
  const chat = chatMemory(store)
  for (let n = 0; n < messages; n += 2) {
    const some = (['user', 'assistant'] as const).map((role): Message => ({ role, content: 'x'.repeat(200) }))
    await chat.append(threadId, some)
  }
}

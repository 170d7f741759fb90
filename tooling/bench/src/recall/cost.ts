import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { inProcessIndex, type SearchDocument } from '@keepsake/core'
import type { Conversation } from './turn-documents.ts'
import { randomNumbers } from './test-vectors.ts'

export interface Cost {
  memories: number
  addMicros: number
  queryMillis: number
  memoryMegabytes: number
}

const QUERIES = 100
const BATCH = 100

/** What the index in this process costs at a size, in time of the processor: other work on the machine does not count. */
export async function measureCost(conversations: readonly Conversation[], memories: number): Promise<Cost> {
  const documents = copies(conversations, memories)
  const questions = conversations.flatMap((one) => one.questions).filter((_, n) => n % 7 === 0)
  const before = usedBytes()
  const index = inProcessIndex()
  const addMicros =
    (await processorMicros(async () => {
      for (let from = 0; from < memories; from += BATCH) await index.index('all', documents.slice(from, from + BATCH))
    })) / memories
  const memoryMegabytes = (usedBytes() - before) / 1e6
  const query = async (): Promise<void> => {
    for (const { text } of questions.slice(0, QUERIES)) await index.query('all', { text, limit: 10 })
  }
  await query()
  const rounds = 3
  const queryMicros = await processorMicros(async () => {
    for (let round = 0; round < rounds; round++) await query()
  })
  const asked = Math.min(QUERIES, questions.length)
  return { memories, addMicros, queryMillis: queryMicros / rounds / asked / 1000, memoryMegabytes }
}

/** As many turns as wanted: those of the data, then copies in which every fourth word comes from another turn. */
function copies(conversations: readonly Conversation[], count: number): SearchDocument[] {
  const turns = conversations.flatMap(({ id, turns: own }) => own.map((turn) => ({ turn, conversation: id })))
  const next = randomNumbers('copies')
  return Array.from({ length: count }, (_, n) => {
    const { turn, conversation } = turns[n % turns.length]!
    const copy = Math.floor(n / turns.length)
    const words = turn.text.split(' ')
    const others = turns[Math.floor(next() * turns.length)]!.turn.text.split(' ')
    if (copy > 0) for (let at = 0; at < words.length; at += 4) words[at] = others[at % others.length]!
    const place = `${copy} ${conversation}`
    return { ...turn, id: `${place} ${turn.id}`, text: words.join(' '), session: `${place} ${turn.session}` }
  })
}

async function processorMicros(work: () => Promise<void>): Promise<number> {
  const start = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(start)
  return user + system
}

/** Of what is still in use. */
function usedBytes(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

import { readFileSync } from 'node:fs'
import { inProcessIndex } from '@keepsake/core'
import type { Line } from '../line.ts'
import { ask } from './ask.ts'
import { measureCost } from './cost.ts'
import { searchIndexes } from './indexes.ts'
import { locomoFile, parseLocomo } from '../locomo.ts'
import type { Quality } from './metrics.ts'
import { turnDocuments } from './turn-documents.ts'

/** How well memories are found again, on LoCoMo, and what it costs. Without the data it says so and measures nothing. */
export async function benchRecall(sizes: readonly number[] = [10_000, 100_000]): Promise<Line[]> {
  const file = locomoFile()
  if (file === undefined) {
    const how = 'set KEEPSAKE_LOCOMO to a file of github.com/snap-research/LoCoMo'
    return [{ what: `SKIPPED: ${how}`, base: '', ours: '' }]
  }
  const conversations = parseLocomo(readFileSync(file, 'utf8')).map(turnDocuments)
  const lexical = await ask(inProcessIndex(), conversations)
  const lines = [
    atLeast('in process: recall@10', lexical.recallAt10, 0.78),
    atLeast('in process: recall@5', lexical.recallAt5, 0.7),
    atLeast('in process: nDCG@10', lexical.ndcgAt10, 0.63),
    { what: `  questions, recall@1`, base: String(lexical.questions), ours: percent(lexical.recallAt1) },
    ...(await hybrid(lexical)),
  ]
  for (const { name, open } of await searchIndexes()) {
    await using index = await open()
    const { recallAt10 } = await ask(index, conversations)
    lines.push(atLeast(`${name}: recall@10`, recallAt10, lexical.recallAt10 - 0.03))
  }
  for (const memories of sizes) {
    const { addMicros, queryMillis, memoryMegabytes } = await measureCost(conversations, memories)
    const where = `in process, ${memories.toLocaleString('en')} memories`
    lines.push(
      atMost(`${where}: a query`, queryMillis, memories > 10_000 ? 5 : 1, 'ms'),
      atMost(`${where}: adding one`, addMicros, 60, 'µs'),
      { what: `${where}: memory`, base: '', ours: `${memoryMegabytes.toFixed(0)} MB` },
    )
  }
  return lines

  async function hybrid(words: Quality): Promise<Line[]> {
    const found: Line[] = []
    for (const dims of [64, 384]) {
      const random = await ask(inProcessIndex(), conversations, { vectors: 'random', dims })
      found.push(atLeast(`hybrid, random vectors of ${dims}`, random.recallAt10, words.recallAt10 - 0.015))
    }
    const knowing = await ask(inProcessIndex(), conversations, { vectors: 'knowing', dims: 64 })
    found.push(atLeast('hybrid, vectors that know the answer', knowing.recallAt10, words.recallAt10 + 0.05))
    return found
  }
}

/** A share that must not be less. */
function atLeast(what: string, value: number, least: number): Line {
  return { what, base: `${percent(least)} wanted`, ours: percent(value), ratio: least / value, goal: 1 }
}

function atMost(what: string, value: number, most: number, unit: string): Line {
  return { what, base: `${most} ${unit} allowed`, ours: `${value.toFixed(2)} ${unit}`, ratio: value / most, goal: 1 }
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`
}

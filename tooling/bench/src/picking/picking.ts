import { inMemoryStore } from '@keepsake/core'
import { createMemoryToolset, rowFiles, topicIndex, type MemoryToolset } from '@keepsake/files'
import type { SessionFiles } from './session-files.ts'

export interface PickingQuality {
  questions: number
  /** The share of questions for which a file with evidence is among the first three, and is the first. */
  hitAt3: number
  hitAt1: number
  /** The share of questions about another conversation for which nothing is picked. */
  foreignPickNothing: number
  /** The share of questions in words that no file has for which nothing is picked. */
  unknownPickNothing: number
}

/** What a toolset recalls, through its public face: files in rows, loaded with each question. */
export async function measurePicking(conversations: readonly SessionFiles[]): Promise<PickingQuality> {
  const counts = { questions: 0, hitAt3: 0, hitAt1: 0, foreign: 0, foreignNothing: 0, unknownNothing: 0 }
  for (const [index, { files, questions }] of conversations.entries()) {
    const toolset = await toolsetOf(files)
    const others = conversations[(index + 1) % conversations.length]!.questions
    for (const { text, evidence } of questions) {
      const picked = await pick(toolset, text)
      counts.questions++
      if (picked.some((path) => evidence.has(path))) counts.hitAt3++
      if (picked[0] !== undefined && evidence.has(picked[0])) counts.hitAt1++
      if ((await pick(toolset, unknownWords(text))).length === 0) counts.unknownNothing++
    }
    for (const { text } of others) {
      counts.foreign++
      if ((await pick(toolset, text)).length === 0) counts.foreignNothing++
    }
  }
  const { questions } = counts
  return {
    questions,
    hitAt3: counts.hitAt3 / questions,
    hitAt1: counts.hitAt1 / questions,
    foreignPickNothing: counts.foreignNothing / counts.foreign,
    unknownPickNothing: counts.unknownNothing / questions,
  }
}

async function toolsetOf(contents: SessionFiles['files']): Promise<MemoryToolset> {
  const files = rowFiles(inMemoryStore(), 'locomo')
  for (const { path, content } of contents) await files.write(path, content)
  return createMemoryToolset(files, { browse: ['/sessions'] })
}

async function pick(toolset: MemoryToolset, query: string): Promise<string[]> {
  await toolset.load({ query })
  return toolset.recalled()
}

/** As long as the question, and nothing that anybody has ever written. */
function unknownWords(question: string): string {
  return question
    .split(/\s+/)
    .map(
      (word) =>
        `zq${word
          .toLowerCase()
          .split('')
          .toReversed()
          .join('')
          .replaceAll(/[^a-z]/g, '')}qz`,
    )
    .join(' ')
}

/** Milliseconds of a pick among files made of the sentences of these, the median of all questions. */
export function measurePickMillis(conversations: readonly SessionFiles[], count: number): number {
  const texts = conversations.flatMap(({ files }) => files.map(({ content }) => content))
  const topics = Array.from({ length: count }, (_, i) => ({
    path: `/topics/${i}.md`,
    description: `Topic ${i}`,
    body: `${texts[i % texts.length] ?? ''}\nNumber ${i}.`,
  }))
  const index = topicIndex(topics)
  const times = conversations
    .flatMap(({ questions }) => questions)
    .map(({ text }) => {
      const start = performance.now()
      index.pick(text, 3)
      return performance.now() - start
    })
    .toSorted((a, b) => a - b)
  return times[Math.floor(times.length / 2)] ?? 0
}

import type { SearchIndex, SearchQuery } from '@keepsake/core'
import type { LocomoQuestion } from '../locomo.ts'
import type { Conversation } from './turn-documents.ts'
import { qualityOf, type Quality } from './metrics.ts'
import { randomVector, type Vectors } from './test-vectors.ts'

/** What is asked beside the words. */
export interface Vectorised {
  /** `'random'` say nothing, `'knowing'` lie near the answers. */
  vectors: 'random' | 'knowing'
  dims: number
}

/** Asks every question of every conversation, each in a scope of its own, and measures the answers. */
export async function ask(
  index: SearchIndex,
  conversations: readonly Conversation[],
  vectorised?: Vectorised,
): Promise<Quality> {
  const answers = []
  if (vectorised !== undefined) await index.open({ model: vectorised.vectors, dims: vectorised.dims })
  else await index.open()
  for (const { id: scope, turns, questions } of conversations) {
    const vectors: Vectors = new Map()
    for (const { id } of turns)
      if (vectorised !== undefined) vectors.set(id, randomVector(`${scope} ${id}`, vectorised.dims))
    await index.index(
      scope,
      turns.map((turn) => ({ ...turn, ...(vectors.has(turn.id) && { vectors: [vectors.get(turn.id)!] }) })),
    )
    for (const question of questions) {
      const query: SearchQuery = { text: question.text, limit: 10, ...vectorOf(question, vectors, vectorised) }
      const hits = await index.query(scope, query)
      answers.push({ ranked: hits.map(({ id }) => id), wanted: question.evidence })
    }
  }
  return qualityOf(answers)
}

/** A knowing vector is the sum of those of the answers, with as much noise. */
function vectorOf(question: LocomoQuestion, vectors: Vectors, how: Vectorised | undefined): { vector?: number[] } {
  if (how === undefined) return {}
  const noise = randomVector(question.text, how.dims)
  if (how.vectors === 'random') return { vector: noise }
  return {
    vector: noise.map((value, n) => [...question.evidence].reduce((sum, id) => sum + vectors.get(id)![n]!, value)),
  }
}

import type { EmbeddingModelV4 } from '@ai-sdk/provider'

export interface TestEmbedderOptions {
  /** Words that mean the same, a list for each meaning: texts with words of one list are alike. */
  meanings: readonly (readonly string[])[]
  /** Default: one for each meaning, and four. */
  dims?: number
  /** Default `'test-embedder'`. */
  modelId?: string
}

/**
 * An embedding model that knows what words mean because it was told: every meaning is a direction of its own, and what it
 * was not told lies, by its letters, in the directions that are left. The same text always gives the same vector.
 *
 * ```ts
 * const embed = testEmbedder({ meanings: [['hungry', 'pizza']] })
 * ```
 */
export function testEmbedder(options: TestEmbedderOptions): EmbeddingModelV4 & { dims: number; texts: string[] } {
  const { meanings, dims = meanings.length + 4, modelId = 'test-embedder' } = options
  const texts: string[] = []
  return {
    specificationVersion: 'v4',
    provider: 'keepsake-test',
    modelId,
    maxEmbeddingsPerCall: 100,
    supportsParallelCalls: true,
    dims,
    /** What it was asked to embed. */
    texts,
    async doEmbed({ values }) {
      texts.push(...values)
      return { embeddings: values.map((text) => vectorOf(text, meanings, dims)), warnings: [] }
    },
  }
}

function vectorOf(text: string, meanings: readonly (readonly string[])[], dims: number): number[] {
  const vector = Array.from({ length: dims }, () => 0)
  for (const word of text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []) {
    const meaning = meanings.findIndex((words) => words.includes(word))
    if (meaning >= 0) vector[meaning]! += 1
    else if (dims > meanings.length) {
      let hash = 7
      for (const character of word) hash = (hash * 31 + character.codePointAt(0)!) % 1_000_003
      vector[meanings.length + (hash % (dims - meanings.length))]! += 0.1
    }
  }
  return vector
}

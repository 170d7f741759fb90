import type { EmbeddingModelV4 } from '@ai-sdk/provider'
import { KeepsakeError, throwIfAborted } from '../errors.ts'
import type { CallOptions } from '../rows/row-store.ts'
import { checkVector } from './vectors.ts'

/** Characters that one vector stands for. A longer text has several, and the nearest counts. */
const PIECE_CHARACTERS = 2_000
/** Vectors of one text at most: what is behind them is found by its words. */
const MOST_PIECES = 16

/** The vectors of every text: one, or more where it is long. Throws `unavailable` when the model fails. */
export async function embedTexts(
  { model, dims }: { model: EmbeddingModelV4; dims: number },
  texts: readonly string[],
  { signal }: CallOptions = {},
): Promise<number[][][]> {
  const pieces = texts.map(piecesOf)
  const all = pieces.flat()
  const most = Math.max(1, (await model.maxEmbeddingsPerCall) ?? all.length)
  const vectors: number[][] = []
  for (let from = 0; from < all.length; from += most) {
    throwIfAborted(signal)
    const values = all.slice(from, from + most)
    const embeddings = await embedOnce(model, values, signal)
    if (embeddings.length !== values.length) {
      throw new KeepsakeError(
        'unavailable',
        `The embedding model ${model.modelId} gave ${embeddings.length} vectors for ${values.length} texts.`,
      )
    }
    const space = { model: model.modelId, dims }
    vectors.push(...embeddings.map((vector) => [...checkVector(vector, space, `A vector of ${model.modelId}`)]))
  }
  let next = 0
  return pieces.map((own) => own.map(() => vectors[next++]!))
}

async function embedOnce(
  model: EmbeddingModelV4,
  values: string[],
  signal: AbortSignal | undefined,
): Promise<number[][]> {
  try {
    const { embeddings } = await model.doEmbed({ values, ...(signal !== undefined && { abortSignal: signal }) })
    return embeddings
  } catch (cause) {
    throwIfAborted(signal)
    throw new KeepsakeError('unavailable', `The embedding model ${model.modelId} failed: try again.`, {
      cause,
      retryable: true,
    })
  }
}

/** Cut at spaces where there are some. A text without characters has no vector. */
function piecesOf(text: string): string[] {
  const pieces: string[] = []
  for (let from = 0; from < text.length && pieces.length < MOST_PIECES;) {
    let end = Math.min(text.length, from + PIECE_CHARACTERS)
    if (end < text.length) {
      const space = text.lastIndexOf(' ', end)
      if (space > from + PIECE_CHARACTERS / 2) end = space
    }
    const piece = text.slice(from, end).toWellFormed()
    if (piece.trim() !== '') pieces.push(piece)
    from = end
  }
  return pieces
}

/** How good rankings are, as means over questions. */
export interface Quality {
  questions: number
  /** Shares of the wanted that are among the first 1, 5 and 10. */
  recallAt1: number
  recallAt5: number
  recallAt10: number
  /** Normalised discounted cumulative gain of the first 10: 1 where the wanted come first. */
  ndcgAt10: number
}

interface Answered {
  ranked: readonly string[]
  wanted: ReadonlySet<string>
}

export function qualityOf(answers: readonly Answered[]): Quality {
  const mean = (of: (answer: Answered) => number): number =>
    answers.reduce((sum, answer) => sum + of(answer), 0) / Math.max(1, answers.length)
  return {
    questions: answers.length,
    recallAt1: mean((answer) => recall(answer, 1)),
    recallAt5: mean((answer) => recall(answer, 5)),
    recallAt10: mean((answer) => recall(answer, 10)),
    ndcgAt10: mean(ndcg),
  }
}

function recall({ ranked, wanted }: Answered, first: number): number {
  return ranked.slice(0, first).filter((id) => wanted.has(id)).length / wanted.size
}

function ndcg({ ranked, wanted }: Answered): number {
  let [gained, most] = [0, 0]
  for (const [place, id] of ranked.slice(0, 10).entries()) if (wanted.has(id)) gained += gain(place)
  for (let place = 0; place < Math.min(10, wanted.size); place++) most += gain(place)
  return gained / most
}

function gain(place: number): number {
  return 1 / Math.log2(place + 2)
}

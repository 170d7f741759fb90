import type { LanguageModelV4, LanguageModelV4GenerateResult } from '@ai-sdk/provider'

export const INSTANT_ANSWER = 'It is so.'

const answer: LanguageModelV4GenerateResult = {
  content: [{ type: 'text', text: INSTANT_ANSWER }],
  finishReason: { unified: 'stop', raw: 'stop' },
  usage: {
    inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 5, text: 5, reasoning: 0 },
  },
  warnings: [],
}

/** A model that has its answer ready: what a turn takes is not its time. */
export const instantModel: LanguageModelV4 = {
  specificationVersion: 'v4',
  provider: 'bench',
  modelId: 'instant',
  supportedUrls: {},
  doGenerate: () => Promise.resolve(answer),
  doStream: () => Promise.reject(new Error('This model does not stream.')),
}

import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4GenerateResult } from '@ai-sdk/provider'
import { digest } from './choices.ts'
import type { Scheduler, Worker } from './scheduler.ts'

export interface SimulatedModelOptions {
  scheduler: Scheduler
  /** Told of every call that starts, with the headers that say where. */
  onCall(headers: Readonly<Record<string, string | undefined>>): void
}

/** A model whose every answer differs from all before, so that one that was asked for twice is seen. */
export function simulatedModel(
  who: Worker,
  answers: { count: number },
  options: SimulatedModelOptions,
): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'simulated',
    modelId: 'simulated',
    supportedUrls: {},
    doGenerate: (asked) =>
      new Promise<LanguageModelV4GenerateResult>((resolve, reject) => {
        const text = askedText(asked)
        options.onCall(asked.headers ?? {})
        const n = ++answers.count
        options.scheduler.send({
          who,
          label: 'model call',
          mayLandLate: false,
          act: () => Promise.resolve(true),
          // One in eight fails: the handler sees that, so it is journaled like an answer.
          answer: () => (n % 8 === 5 ? reject(new Error(`the model failed, call ${n}`)) : resolve(answer(text, n))),
        })
      }),
    doStream: () => Promise.reject(new Error('not part of the simulation')),
  }
}

export function request(text: string, headers: Record<string, string>): LanguageModelV4CallOptions {
  return { prompt: [{ role: 'user', content: [{ type: 'text', text }] }], headers }
}

function askedText(options: LanguageModelV4CallOptions): string {
  const [message] = options.prompt
  const [part] = (message?.content ?? []) as readonly { text?: string }[]
  return part?.text ?? ''
}

export function answerText({ content }: LanguageModelV4GenerateResult): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

function answer(text: string, n: number): LanguageModelV4GenerateResult {
  return {
    content: [{ type: 'text', text: `${digest(text)} ${n}` }],
    finishReason: { unified: 'stop', raw: 'stop' },
    usage: {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    },
    warnings: [],
  }
}

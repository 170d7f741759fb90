import type { LanguageModelV4, LanguageModelV4GenerateResult } from '@ai-sdk/provider'
import { randomUUID } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Activation } from '../../../src/engine/activation.ts'

/** Short, so that the next process takes over soon. */
export const LEASE_MS = 60

/** A model call, as it is noted before it is answered. */
export interface ModelCall {
  entity: string
  eventId: string
  /** Which of the event's calls. */
  place: number
  answer: string
  pid: number
}

export interface Answers {
  answers: string[]
}

/** What the working memory of an entity says that it handled. */
export interface Memory {
  log: { id: string; n: number; answers: string[] }[]
  count: number
}

/** The event that shows it. */
export const SHOW = -1

/** Two model calls, a list in working memory, a counter and a long-term record: each shows if it is lost or repeated. */
export async function handle(a: Activation<{ n: number }>): Promise<Answers | Memory> {
  if (a.event.data.n === SHOW) {
    const log = (await a.memory.get(['log']))?.value ?? []
    return { log: log as unknown as Memory['log'], count: Number((await a.memory.get(['count']))?.value ?? 0) }
  }
  const ask = async (place: number): Promise<string> => {
    const { content } = await a.callModel({
      prompt: [{ role: 'user', content: [{ type: 'text', text: JSON.stringify([a.entity, a.event.id, place]) }] }],
    })
    return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
  }
  const answers = [await ask(1)]
  const count = Number((await a.memory.get(['count']))?.value ?? 0)
  await a.memory.put(['count'], count + 1)
  answers.push(await ask(2))
  await a.memory.append(['log'], { id: a.event.id, n: a.event.data.n, answers })
  await a.longterm.put(['events', a.event.id], { answers })
  return { answers }
}

/** Notes every call in a file, then answers it with something that no other call is answered with. */
export function notedModel(file: string, onCall?: () => void): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'noted',
    modelId: 'noted',
    supportedUrls: {},
    async doGenerate({ prompt }): Promise<LanguageModelV4GenerateResult> {
      const [part] = prompt[0]!.content as { text: string }[]
      const [entity, eventId, place] = JSON.parse(part!.text) as [string, string, number]
      const call: ModelCall = { entity, eventId, place, answer: randomUUID(), pid: process.pid }
      appendFileSync(file, `${JSON.stringify(call)}\n`)
      onCall?.()
      await sleep(Math.random() * 8)
      return {
        content: [{ type: 'text', text: call.answer }],
        finishReason: { unified: 'stop', raw: 'stop' },
        usage: {
          inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 1, text: 1, reasoning: 0 },
        },
        warnings: [],
      }
    },
    doStream: () => Promise.reject(new Error('this model does not stream')),
  }
}

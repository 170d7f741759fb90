import type { JSONValue, LanguageModelV4CallOptions, LanguageModelV4GenerateResult } from '@ai-sdk/provider'
import { encodeTuple, KeepsakeError, normalise, type Storable } from '@keepsake/core'
import { refuse } from '../../options/refuse.ts'
import { fingerprint } from '../fingerprint.ts'
import type { Ground } from '../ground.ts'
import { fromFailure, toFailure } from './failures.ts'
import type { JournalPlayer } from './journal-player.ts'
import { answerServed, answerStored, requestAsked } from './model-request.ts'
import type { RunStop } from './run-stop.ts'

/** A call that is made once: what it asks, and how. */
interface JournaledCall {
  /** What is asked; a replay has to ask the same. */
  asked: Storable
  /** Serves an entry also to another question: for callers that know better than to fail. */
  lenient?: boolean
  make: () => Promise<Storable | undefined>
}

/** The calls of a handler in one scope. A tool call is a scope, so that parallel ones do not disturb each other. */
export interface ScopedCalls {
  readonly callModel: (request: LanguageModelV4CallOptions) => Promise<LanguageModelV4GenerateResult>
  readonly step: <T>(name: string, fn: () => Promise<T>) => Promise<T>
  readonly interrupt: <A = JSONValue>(question: JSONValue) => Promise<A>
  /** The journaled call that the others are made of. */
  readonly call: (call: JournaledCall) => Promise<Storable | undefined>
  /** Reads something that may be another the next time: kept with the next entry, and served again from there. */
  readonly outside: (read: () => Promise<Storable>) => Promise<Storable>
  /** Runs a part of the handler in a scope of its own, such as a tool call under its id, once in each scope. */
  readonly scope: <T>(name: string, run: (calls: ScopedCalls) => Promise<T>) => Promise<T>
}

export interface ScopedCallsOptions {
  player: JournalPlayer
  stop: RunStop
  interrupt(scope: string, question: Storable): Promise<Storable>
}

export function scopedCalls(ground: Ground, options: ScopedCallsOptions, scope = ''): ScopedCalls {
  const { player, stop } = options

  async function call({ asked, lenient, make }: JournaledCall): Promise<Storable | undefined> {
    let cause: unknown
    const entry = await player.call({
      scope,
      hash: fingerprint(asked),
      ...(lenient !== undefined && { lenient }),
      async make() {
        try {
          const result = await make()
          return result === undefined ? {} : { result }
        } catch (error) {
          cause = error
          return { failure: toFailure(error) }
        }
      },
    })
    if (entry.failure !== undefined) throw fromFailure(entry.failure, cause)
    return entry.result
  }

  return {
    call,

    async callModel(request) {
      const { model } = ground
      if (model === undefined) {
        throw new KeepsakeError('unsupported', 'This engine has no model: pass createEngine({ model }) to call one.')
      }
      const asked = requestAsked(request)
      const { abortSignal: outer } = request
      const abortSignal = outer === undefined ? stop.signal : AbortSignal.any([outer, stop.signal])
      const answer = await call({
        asked: ['model', asked],
        make: async () => answerStored(await model.doGenerate({ ...request, abortSignal })),
      })
      return answerServed(answer!)
    },

    async step<T>(name: string, fn: () => Promise<T>) {
      if (typeof name !== 'string' || name === '') throw refuse('The name of a step', 'a text', name)
      if (typeof fn !== 'function') throw refuse('What a step runs', 'a function', fn)
      const result = await call({
        asked: ['step', name],
        async make() {
          const value = await fn()
          return value === undefined ? undefined : normalise(value, `The result of step ${name}`)
        },
      })
      return result as T
    },

    async interrupt<A>(question: JSONValue) {
      return (await options.interrupt(scope, normalise(question, 'question'))) as A
    },

    outside: (read) => player.outside(scope, read),

    async scope(name, run) {
      await player.edge(scope)
      const inner = scope + encodeTuple([name])
      try {
        return await run(scopedCalls(ground, options, inner))
      } finally {
        if (stop.stop === undefined) await player.edge(inner)
      }
    },
  }
}

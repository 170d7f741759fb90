import type { JSONValue, LanguageModelV4CallOptions, LanguageModelV4GenerateResult } from '@ai-sdk/provider'
import { encodeEnvelope, KeepsakeError, normalise, type Key } from '@keepsake/core'
import { checkNames, refuse } from '../../options/refuse.ts'
import { MEMORY_SOFT_CAP_BYTES, type Compactor } from './compactor.ts'
import type { MemoryBlob } from './memory-blob.ts'
import type { WorkingMemory } from './working-memory.ts'

export interface SummarizeOptions {
  /** Your prompt, made of nothing but these two: a replay has to make the same. `priorSummary`: `undefined` the first time. */
  buildRequest: (items: readonly JSONValue[], priorSummary: JSONValue | undefined) => LanguageModelV4CallOptions
  extractSummary: (answer: LanguageModelV4GenerateResult) => JSONValue
  /** Lists whose older items are folded. */
  sourceKeys: readonly Key[]
  /** The entry that the summary is written to. */
  summaryKey: Key
  /** Newest items of each list that stay, 8 by default. */
  keepRecent?: number
  /** It runs when working memory has so many bytes as the handler returns: 786,432 by default. */
  triggerBytes?: number
}

/** A compactor that calls the model, between the handler and the commit. */
export interface Summarizer extends Compactor {
  readonly name: 'summarize'
  run(
    blob: MemoryBlob,
    memory: WorkingMemory,
    callModel: (request: LanguageModelV4CallOptions) => Promise<LanguageModelV4GenerateResult>,
  ): Promise<void>
}

/**
 * Folds the older items of lists into one summary, by the engine's model, when the handler has returned. The call is
 * journaled like any other. A summary that is not smaller than what it replaces fails the activation
 * (`details.reason`: `summary_did_not_shrink`), and nothing of it is committed. No prompt is shipped: it is yours.
 */
export function summarizeCompactor(options: SummarizeOptions): Compactor {
  if (typeof options !== 'object' || options === null)
    throw refuse('The options of summarizeCompactor', 'an object', options)
  checkNames('summarizeCompactor', options, [
    'buildRequest',
    'extractSummary',
    'sourceKeys',
    'summaryKey',
    'keepRecent',
    'triggerBytes',
  ])
  const { buildRequest, extractSummary, summaryKey, keepRecent = 8, triggerBytes = MEMORY_SOFT_CAP_BYTES } = options
  for (const [name, value] of Object.entries({ buildRequest, extractSummary })) {
    if (typeof value !== 'function') throw refuse(name, 'a function', value)
  }
  for (const [name, value] of Object.entries({ keepRecent, triggerBytes })) {
    if (!Number.isSafeInteger(value) || value < 0) throw refuse(name, 'a whole number from 0', value)
  }
  if (!Array.isArray(options.sourceKeys) || options.sourceKeys.length === 0)
    throw refuse('sourceKeys', "a list of keys, such as [['log']]", options.sourceKeys)
  if (!Array.isArray(summaryKey)) throw refuse('summaryKey', "a key, such as ['summary']", summaryKey)
  const sourceKeys: readonly Key[] = options.sourceKeys

  const summarizer: Summarizer = {
    name: 'summarize',
    async run(blob, memory, callModel) {
      if (blob.bytes < triggerBytes) return
      const lists = await Promise.all(
        sourceKeys.map(async (key) => {
          const value = (await memory.get(key))?.value
          const items = Array.isArray(value) ? value : []
          const split = Math.max(0, items.length - keepRecent)
          return { key, older: items.slice(0, split), recent: items.slice(split) }
        }),
      )
      const items = lists.flatMap(({ older }) => older)
      if (items.length === 0) return
      const prior = (await memory.get(summaryKey))?.value
      const summary = extractSummary(await callModel(buildRequest(items, prior)))
      const [bytes, replacedBytes] = [sizeOf(summary), sizeOf(prior === undefined ? items : [...items, prior])]
      if (bytes >= replacedBytes) {
        throw new KeepsakeError(
          'too_large',
          `The summary has ${bytes} bytes and would replace ${replacedBytes} (summary_did_not_shrink). Ask for a shorter one. Nothing was committed.`,
          { details: { reason: 'summary_did_not_shrink', bytes, replacedBytes } },
        )
      }
      for (const { key, older, recent } of lists) if (older.length > 0) await memory.put(key, recent)
      await memory.put(summaryKey, summary)
    },
  }
  return summarizer
}

function sizeOf(value: JSONValue): number {
  return encodeEnvelope({ value: normalise(value, 'summary'), createdAtMs: 0 }).length
}

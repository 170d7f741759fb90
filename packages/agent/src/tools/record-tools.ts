import {
  checkStore,
  inProcessIndex,
  instructionLike,
  records,
  sourceText,
  systemClock,
  type Clock,
  type Key,
  type RecordIndexOptions,
  type Records,
  type RowStore,
  type SearchIndex,
  type Tool,
  type ToolOptions,
} from '@keepsake/core'
import { refuse } from '../options/refuse.ts'
import { stringFields } from './string-fields.ts'

export interface RecordToolsOptions<C> {
  store: RowStore
  /** Whose memories these are, worked out from the context of the run. The model has no say in it. */
  owner: (context: C) => string | Key
  /** The namespace of the memories in the owner's records, and of nothing else. Default `['memories']`. */
  namespace?: Key
  /** How many memories a search gives at most. Default 5. */
  limit?: number
  /**
   * The index of the owners' records, as `records` takes it: searches are by it, best first, and it follows what is saved.
   * Give the one that these records have elsewhere. Default: none; a search reads all memories and goes by shared words.
   */
  index?: SearchIndex | RecordIndexOptions
  /**
   * Refuses memories that read as instructions to an agent (`instructionLike`): set it where several people or agents share
   * the memories. The model is told, and nothing is stored. Default `false`.
   */
  refuseInstructions?: boolean
  /** Time and ids. Default: those of the process. */
  clock?: Clock
}

const REFUSED =
  'Error: not saved. This memory is shared, and the text reads as an instruction to an agent. Save what is to be known as a fact, without orders.'

/** What the tools keep: readable by `records(store, owner)`. */
export interface Memory {
  content: string
}

/**
 * Tools with which a model keeps facts about the owner over all threads: `save_memory(key?, content)`,
 * `search_memories(query)` and `delete_memory(key)`. Each memory is the record `[...namespace, key]` of the owner with
 * the value `{ content }`. Without a key, the id of the call becomes the key, so a repeated call saves once.
 *
 * Plain AI SDK tools: in `streamText` the context comes from `toolsContext`. Throws `invalid_value` for options that
 * cannot be used; a call without an owner fails, and the model is told.
 *
 * What is saved names its thread as source. Saved after the model read a result of a tool with `untrusted: true`, it is in
 * quarantine, and no search shows it until it is approved (`approveRecord`, `keepsake review`).
 */
export function recordTools<C = any>(
  options: RecordToolsOptions<C>,
): Record<'save_memory' | 'search_memories' | 'delete_memory', Tool<C>> {
  const {
    store,
    owner,
    namespace = ['memories'],
    limit = 5,
    refuseInstructions = false,
    clock = systemClock(),
  } = options
  checkStore(store, 'recordTools: store')
  if (typeof owner !== 'function') throw refuse('recordTools: owner', 'a function of the context', owner)
  const recordsOptions = { clock, ...(options.index !== undefined && { index: oneIndex(options.index) }) }
  // Refuses an index that cannot be used before the first call does.
  records(store, 'nobody', recordsOptions)
  const memoriesOf = ({ context }: ToolOptions<C>): Records<Memory> =>
    records<Memory>(store, owner(context), recordsOptions)

  return {
    save_memory: {
      description:
        'Remember a fact for all later conversations. Save what the user asks you to remember, or states as a lasting preference. A memory with the same key is replaced.',
      inputSchema: stringFields({
        content: { description: 'The fact, in one sentence that can be understood by itself.' },
        key: {
          description: 'A short name, to replace or delete the memory by, such as "answer-language".',
          optional: true,
        },
      }),
      async execute({ key, content }: { key?: string; content: string }, call: ToolOptions<C>) {
        if (refuseInstructions && [key ?? '', content].some((text) => instructionLike(text) !== undefined))
          return REFUSED
        const name = key === undefined || key === '' ? (call.idempotencyKey ?? clock.newId()) : key
        const { run, untrusted = [] } = call
        const sources = [...(run === undefined ? [] : [sourceText({ thread: run.threadId })]), ...untrusted]
        await memoriesOf(call).put([...namespace, name], { content }, { sources, signal: call.abortSignal })
        return `Saved as "${name}".`
      },
    },
    search_memories: {
      description: 'Find what was remembered in earlier conversations, by the words of the query.',
      inputSchema: stringFields({ query: { description: 'Words that the memory may hold.' } }),
      async execute({ query }: { query: string }, call: ToolOptions<C>) {
        const found: { key: string | undefined; content: string }[] = []
        for await (const entry of memoriesOf(call).search(namespace, query, { limit, signal: call.abortSignal })) {
          // What came from untrusted content is shown once somebody has approved it.
          if (entry.quarantined) continue
          found.push({ key: entry.key.at(-1), content: entry.value.content })
          if (found.length === limit) break
        }
        return found
      },
    },
    delete_memory: {
      description: 'Forget a memory, by its key. Search for it first if you do not know the key.',
      inputSchema: stringFields({ key: { description: 'The key of the memory, as a search gives it.' } }),
      async execute({ key }: { key: string }, call: ToolOptions<C>) {
        const deleted = await memoriesOf(call).delete([...namespace, key], { signal: call.abortSignal })
        return deleted ? `Deleted "${key}".` : `There is no memory "${key}".`
      },
    },
  }
}

/** Records are made anew for every call, and would have a new index each time where none is named. */
function oneIndex(index: SearchIndex | RecordIndexOptions): SearchIndex | RecordIndexOptions {
  if (typeof index !== 'object' || index === null || 'query' in index) return index
  return { ...index, search: index.search ?? inProcessIndex() }
}

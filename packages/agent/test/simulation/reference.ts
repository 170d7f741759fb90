import type { JSONValue } from '@ai-sdk/provider'
import { compareUtf8, type Key } from '@keepsake/core'
import { play, type Context, type Observer, type Program, type Seen } from './programs.ts'

/** An entry of working memory, as the reference keeps it: in the order of their last use. */
export type Memory = Map<string, JSONValue>

const SOFT_CAP_BYTES = 786_432
const TARGET_BYTES = 524_288

/** Lists that the summarizer folds, and how many of their newest items stay. */
export const SUMMARIZED: readonly string[] = ['ring', 'log']
export const KEPT_ITEMS = 2

/** Roughly: only entries of 200,000 bytes decide what is evicted. */
function sizeOf(memory: Memory): number {
  return [...memory].reduce((sum, [path, value]) => sum + path.length + JSON.stringify(value).length, 0)
}

export interface ReferenceRun {
  outcome: { output: JSONValue } | { error: string }
  memory: Memory
  /** Long-term writes, by their key as a path. */
  longterm: ReadonlyMap<string, JSONValue>
}

/**
 * What an activation must come to, worked out without the engine: the same handler over plain maps, crash-free, given the
 * answers and the outside reads that the engine's attempt saw. Throws where the handler asks for something that the
 * attempt never saw.
 */
export async function playReference(
  event: { id: string; data: Program },
  before: Memory,
  seen: ReadonlyMap<string, Seen>,
  summarizes: boolean,
): Promise<ReferenceRun> {
  const memory: Memory = new Map(before)
  const longterm = new Map<string, JSONValue>()
  const given = (place: string): Promise<JSONValue> => {
    const found = seen.get(place)
    if (found === undefined) throw new Error(`the attempt never saw place ${place}`)
    return 'error' in found ? Promise.reject(new Error(found.error)) : Promise.resolve(found.value)
  }
  const unreachable = (): Promise<never> => Promise.reject(new Error('answers are given, not asked for'))
  const list = (
    map: ReadonlyMap<string, JSONValue>,
    prefix: Key,
  ): { items: { key: string[]; value: JSONValue }[] } => ({
    items: [...map]
      .map(([path, value]) => ({ key: path.split('/'), value }))
      .filter(({ key }) => prefix.every((segment, i) => key[i] === segment))
      .toSorted((a, b) => compareUtf8(a.key.join('\u0001'), b.key.join('\u0001'))),
  })
  const area = (map: Map<string, JSONValue>): Context['longterm'] => ({
    get: async (key) => {
      const value = map.get(key.join('/'))
      return value === undefined ? undefined : { value }
    },
    put: async (key, value) => map.set(key.join('/'), value),
    delete: async (key) => map.delete(key.join('/')),
    list: async (prefix) => list(map, prefix),
  })
  const listed = (key: Key): JSONValue[] => (memory.get(key.join('/')) ?? []) as JSONValue[]

  /** Entries stand in the order of their last use; a write that passes the soft cap evicts from the front. */
  function use(path: string, value = memory.get(path)): void {
    if (value === undefined) return
    memory.delete(path)
    memory.set(path, value)
    if (sizeOf(memory) <= SOFT_CAP_BYTES) return
    for (const oldest of memory.keys()) {
      if (sizeOf(memory) <= TARGET_BYTES) return
      if (oldest !== path) memory.delete(oldest)
    }
  }
  const push = async (key: Key, item: JSONValue, size = Infinity): Promise<void> =>
    use(key.join('/'), [...listed(key), item].slice(-size))

  const context: Context = {
    event,
    memory: {
      async get(key) {
        use(key.join('/'))
        return area(memory).get(key)
      },
      put: async (key, value) => use(key.join('/'), value),
      delete: async (key) => memory.delete(key.join('/')),
      async list(prefix) {
        const listing = list(memory, prefix)
        for (const { key } of listing.items) use(key.join('/'))
        return listing
      },
      append: (key, item) => push(key, item),
      ring: (key, item, { size }) => push(key, item, size),
    },
    longterm: area(longterm),
    file: { read: unreachable, add: unreachable },
    peek: unreachable,
    callModel: unreachable,
    step: unreachable,
    interrupt: unreachable,
    outside: unreachable,
    scope: (_, run) => run(context),
  }
  const observer: Observer = {
    ask: given,
    read: given,
    starts: () => {},
    question: (_, question) => question,
    headers: () => ({}),
    scope: (_, run) => run(observer),
  }

  /** What the summarizer makes of memory, once the handler has returned. */
  async function summarize(): Promise<void> {
    const lists = SUMMARIZED.map((path) => ({ path, items: (memory.get(path) ?? []) as JSONValue[] }))
    if (lists.every(({ items }) => items.length <= KEPT_ITEMS)) return
    const summary = await given('summary')
    for (const { path, items } of lists) if (items.length > KEPT_ITEMS) memory.set(path, items.slice(-KEPT_ITEMS))
    memory.set('summary', summary)
  }

  const outcome = await play(context, observer, unreachable)
    .then(async (output) => {
      if (summarizes) await summarize()
      return { output }
    })
    .catch((error: Error) => ({ error: error.message }))
  return { outcome, memory, longterm }
}

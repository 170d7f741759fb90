import { chatMemory, inMemoryStore, type Message } from '@keepsake/core'
import { createHistory, window, type History } from '@keepsake/strategies'
import { textsOf } from './history/messages.ts'

/** A history with one fault, for the tests of the suite. */
export interface BrokenHistory {
  readonly name: string
  /** A case of `historyCases` that must fail on it. */
  readonly caughtBy: string
  /** Makes the data of one run of cases, and gives what `testHistory` takes as `open`. */
  create(): () => History
}

/** Faults of histories that were seen in the wild, each with a case that finds it. */
export const brokenHistories: readonly BrokenHistory[] = [
  broken('returns from append before it has stored', 'load sees an append as soon as it has returned', (good) => {
    let behind = Promise.resolve<unknown>(undefined)
    return {
      ...good,
      append: async (id, messages, options) => {
        behind = behind.then(() => good.append(id, messages, options)).catch(() => undefined)
      },
    }
  }),
  broken(
    'keeps what it has loaded once',
    'load sees what another handle has appended, and what it has cleared',
    (good) => {
      const cache = new Map<string, Message[]>()
      return {
        ...good,
        async load(id, context) {
          const messages = cache.get(id) ?? (await good.load(id, context))
          cache.set(id, messages)
          return [...messages]
        },
        async append(id, messages, options) {
          await good.append(id, messages, options)
          cache.delete(id)
        },
        async clear(id, options) {
          await good.clear(id, options)
          cache.delete(id)
        },
      }
    },
  ),
  broken('reads the thread and writes it back', '50 appends at once are all there, each in one piece', (good) => ({
    ...good,
    async append(id, messages, options) {
      const before = (await good.load(id)).map((message) => without('id', message))
      await good.clear(id)
      await good.append(id, [...before, ...messages], options)
    },
  })),
  broken(
    'stores the messages of an append one by one',
    '50 appends at once are all there, each in one piece',
    (good) => ({
      ...good,
      async append(id, messages, options) {
        for (const message of messages) await good.append(id, [message], options)
      },
    }),
  ),
  broken('puts the newest append first', 'messages keep their order, within an append and over appends', (good) => ({
    ...good,
    load: async (id, context) => (await good.load(id, context)).toReversed(),
  })),
  broken('loads the newest hundred messages', 'a thread of 300 appends loads whole', (good) => ({
    ...good,
    load: async (id, context) => (await good.load(id, context)).slice(-100),
  })),
  broken('ignores opId', 'an append with the same opId is stored once', (good) => ({
    ...good,
    append: (id, messages, options = {}) => good.append(id, messages, without('opId', options)),
  })),
  broken(
    'takes equal messages for a repeat',
    'equal messages are stored each time: without an opId, with others, in another thread',
    (good) => ({
      ...good,
      async append(id, messages, options) {
        const stored = textsOf(await good.load(id, options))
        const fresh = messages.filter((message) => !stored.includes(message.content))
        if (fresh.length > 0) await good.append(id, fresh, options)
      },
    }),
  ),
  broken(
    'hands out what it keeps',
    'what is stored does not change with the objects that were passed in or handed out',
    () => listHistory(new Map<string, Message[]>()),
  ),
  broken('folds the case of thread ids', 'threads with similar ids are separate', (good) =>
    renamed(good, (id) => id.toLowerCase()),
  ),
  broken('trims thread ids', 'threads with similar ids are separate', (good) => renamed(good, (id) => id.trim())),
  broken(
    'keeps threads in a plain object',
    'the thread ids __proto__, constructor and % are ones like any other',
    () => {
      const threads: Record<string, Message[]> = {}
      return listHistory({
        get: (id) => threads[id],
        set: (id, messages) => (threads[id] = messages),
        delete: (id) => delete threads[id],
      })
    },
  ),
  broken('clears every thread that begins alike', 'clear empties its thread and no other', (good) => {
    const ids = new Set<string>()
    return {
      ...good,
      append(id, messages, options) {
        ids.add(id)
        return good.append(id, messages, options)
      },
      async clear(id, options) {
        for (const other of ids) if (other.startsWith(id)) await good.clear(other, options)
      },
    }
  }),
  broken('clears nothing', 'a thread that was cleared can be used again', (good) => ({
    ...good,
    clear: async () => {},
  })),
  broken('stores JSON', 'a user message of parts: loaded as appended', (good) => ({
    ...good,
    append: (id, messages, options) => good.append(id, JSON.parse(JSON.stringify(messages)) as Message[], options),
  })),
  broken('loads nothing but text', 'calls with their inputs, and their results: loaded as appended', (good) => ({
    ...good,
    load: async (id, context) =>
      (await good.load(id, context)).filter(
        (message) => typeof message.content === 'string' || message.role === 'user',
      ),
  })),
  broken(
    'forgets the inputs of answered calls',
    'calls with their inputs, and their results: loaded as appended',
    (good) => ({
      ...good,
      load: async (id, context) => (await good.load(id, context)).map(withoutInputs),
    }),
  ),
  broken(
    'cuts at a number of messages',
    'prepare parts no call from its results, however long the thread is',
    (good) => ({
      ...good,
      prepare: (messages) => messages.slice(-20),
    }),
  ),
  broken(
    'cuts, and drops the results that lost their call',
    'prepare parts no call from its results, however long the thread is',
    (good) => ({
      ...good,
      prepare(messages) {
        // As much as a look at the first message tells: the results of parallel calls stay.
        const kept = messages.slice(-20)
        return kept[0]?.role === 'tool' ? kept.slice(1) : kept
      },
    }),
  ),
  broken(
    'cuts the list that it is given',
    'prepare changes neither the list nor the messages that it is given',
    (good) => ({
      ...good,
      prepare: (messages) => (messages as Message[]).splice(-20),
    }),
  ),
  broken('marks messages as sent', 'prepare changes neither the list nor the messages that it is given', (good) => ({
    ...good,
    prepare: (messages) => messages.map((message) => Object.assign(message, { sent: true })),
  })),
  broken('stores what it has prepared', 'prepare changes nothing that is stored', (good) => ({
    ...good,
    async prepare(messages, context = {}) {
      const prepared = await good.prepare(messages, context)
      const { threadId } = context
      if (threadId !== undefined) {
        await good.clear(threadId)
        await good.append(
          threadId,
          prepared.map((message) => without('id', message)),
        )
      }
      return prepared
    },
  })),
  broken('prepares all but the newest message', 'prepare keeps the newest message, stored or not', (good) => ({
    ...good,
    prepare: (messages, context) => good.prepare(messages.slice(0, -1), context),
  })),
  broken('ignores owners', 'an append by another owner is refused and stores nothing', (good) => ({
    ...good,
    append: (id, messages, options = {}) => good.append(id, messages, without('owner', options)),
  })),
  broken('checks owners in append alone', 'a load by another owner is refused', (good) => ({
    ...good,
    load: (id) => good.load(id),
  })),
  broken('lets anybody clear a thread', 'a clear by another owner is refused and removes nothing', (good) => ({
    ...good,
    clear: (id) => good.clear(id),
  })),
]

/** A fault as a change to a history that keeps all rules. Handles share one store; the fault is each handle's own. */
function broken(name: string, caughtBy: string, change: (good: History) => History): BrokenHistory {
  return {
    name,
    caughtBy,
    create() {
      const chat = chatMemory(inMemoryStore())
      return () => change(createHistory({ chat, prepare: [window(20)] }))
    },
  }
}

function renamed(good: History, rename: (threadId: string) => string): History {
  return {
    ...good,
    load: (id, context) => good.load(rename(id), context),
    append: (id, messages, options) => good.append(rename(id), messages, options),
    clear: (id, options) => good.clear(rename(id), options),
  }
}

interface Threads {
  get(id: string): Message[] | undefined
  set(id: string, messages: Message[]): unknown
  delete(id: string): unknown
}

/** What one writes first: lists in memory, neither copied nor checked. */
function listHistory(threads: Threads): History {
  return {
    load: async (id) => threads.get(id) ?? [],
    async append(id, messages) {
      threads.set(id, [...(threads.get(id) ?? []), ...messages])
    },
    prepare: window(20),
    async clear(id) {
      threads.delete(id)
    },
  }
}

function without<T extends object>(key: keyof T, value: T): T {
  const copy = { ...value }
  delete copy[key]
  return copy
}

function withoutInputs(message: Message): Message {
  if (message.role !== 'assistant' || typeof message.content === 'string') return message
  return {
    ...message,
    content: message.content.map((part) => (part.type === 'tool-call' ? { ...part, input: {} } : part)),
  }
}

import type { JSONValue, LanguageModelV4CallOptions, LanguageModelV4GenerateResult } from '@ai-sdk/provider'
import type { Key } from '@keepsake/core'
import { digest, type Choose } from './choices.ts'
import { answerText, request } from './simulated-model.ts'

/** What a simulated event asks its handler to do. */
export interface Program {
  ops: readonly Op[]
}

export type Op =
  | 'call'
  | 'same'
  | 'together'
  | 'step'
  | 'count'
  | 'append'
  | 'ring'
  | 'fill'
  | 'forget'
  | 'remember'
  | 'update'
  | 'search'
  | 'branch'
  | 'glance'
  | 'ask'
  | 'swallow'
  | 'tools'
  | 'agents'
  | 'approve'
  | 'memorise'
  | 'fail'
  | 'dump'

interface Stored {
  value: JSONValue
}

/** The part of an activation's memory that programs use. */
interface Memory {
  get(key: Key): Promise<Stored | undefined>
  put(key: Key, value: JSONValue): Promise<unknown>
  delete(key: Key): Promise<unknown>
  list(prefix: Key, options?: { limit?: number }): PromiseLike<{ items: (Stored & { key: string[] })[] }>
}

/** The calls of one scope: of the handler itself, or of a tool call. */
export interface Calls {
  callModel(options: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult>
  step<T>(name: string, run: () => Promise<T>): Promise<T>
  interrupt(question: JSONValue): Promise<JSONValue>
  outside(read: () => Promise<JSONValue>): Promise<JSONValue>
  scope<T>(name: string, run: (calls: Calls) => Promise<T>): Promise<T>
}

/** The entity's memory file. */
export interface MemoryFile {
  read(): Promise<JSONValue>
  /** Adds a line by an edit that this operation names. */
  add(line: string, opId: string): Promise<boolean>
}

/** The part of an activation that programs use: the engine's, or that of the reference. */
export interface Context extends Calls {
  readonly event: { readonly id: string; readonly data: Program }
  readonly memory: Memory & {
    append(key: Key, item: JSONValue): Promise<unknown>
    ring(key: Key, item: JSONValue, options: { size: number }): Promise<unknown>
  }
  readonly longterm: Memory
  readonly file: MemoryFile
  /** Something in a store, that may change at any time. */
  peek(): Promise<JSONValue>
}

/** What a handler saw at a place of its program: an answer, or an error. */
export type Seen = { value: JSONValue } | { error: string }

/** Stands between a program and what answers it. */
export interface Observer {
  /** A model call, a step or a question. */
  ask(place: string, run: () => Promise<JSONValue>): Promise<JSONValue>
  /** Says that a call or step starts, and where: the model is told by a header, which is not part of what is asked. */
  starts(place: string): void
  /** Says what is asked at a place. */
  question(place: string, question: JSONValue): JSONValue
  headers(place: string): Record<string, string>
  /** Something outside, that may change at any time: for the reference its answer is given, not read. */
  read(place: string, run: () => Promise<JSONValue>): Promise<JSONValue>
  /** A part of the handler in a scope of its own, which another one watches. */
  scope<T>(name: string, run: (inner: Observer) => Promise<T>): Promise<T>
}

/** One scope of a program, and who watches it. */
interface Hand {
  calls: Calls
  observer: Observer
}

/** How a step sees the world: another value every time. */
export type Outside = () => Promise<JSONValue>

/** What somebody answers who was shown this question; others answer something else. */
export function answerTo(question: JSONValue, answerer: number): JSONValue {
  return digest('answer', answerer, question)
}

export const ANSWERERS = 4

/**
 * A handler that is deterministic in its event, its memory and what it was answered. Everything that it saw flows into
 * what it keeps, so that a wrong answer anywhere shows in what is committed.
 */
export async function play(a: Context, observer: Observer, outside: Outside): Promise<JSONValue> {
  let dumped: JSONValue = null
  let sum = digest(a.event.id, (await a.memory.get(['sum']))?.value ?? 0)
  const root: Hand = { calls: a, observer }
  const call = (place: string, text: string, hand = root): Promise<JSONValue> =>
    hand.observer
      .ask(place, async () => answerText(await hand.calls.callModel(request(text, hand.observer.headers(place)))))
      .catch(failure)
  const within = (place: string, hand: Hand, run: (inner: Hand) => Promise<JSONValue>): Promise<JSONValue> =>
    hand.observer.scope(place, (inner) => hand.calls.scope(place, (calls) => run({ calls, observer: inner })))
  const peek = (place: string, { calls, observer: by }: Hand): Promise<JSONValue> =>
    by.read(place, () => calls.outside(() => a.peek()))
  const put = (place: string, about: JSONValue, { calls, observer: by }: Hand): Promise<JSONValue> =>
    by.ask(place, () => calls.interrupt(by.question(place, { about })))

  /** A tool that calls a model. What it reads last is journaled by no call of its own. */
  const tool = (place: string, about: JSONValue, hand: Hand): Promise<JSONValue> =>
    within(place, hand, async (inner) => {
      const answer = await call(`${place}c`, `${digest(about)}`, inner)
      return digest(answer, await peek(`${place}r`, inner))
    })

  /** A tool that is an agent: what it has read decides what it asks, and it has tools of its own, side by side. */
  const agent = (place: string, about: JSONValue, hand: Hand): Promise<JSONValue> =>
    within(place, hand, async (inner) => {
      const plan = digest(about, await peek(`${place}r`, inner))
      const found = await Promise.all([tool(`${place}x`, plan, inner), tool(`${place}y`, plan, inner)])
      return call(`${place}c`, `${digest(plan, found)}`, inner)
    })

  const look = (place: string, i: number): Promise<JSONValue> =>
    observer.ask(place, () =>
      a.step(`look ${i}`, () => {
        observer.starts(place)
        return outside()
      }),
    )

  for (const [i, op] of a.event.data.ops.entries()) {
    const at = `${i}`
    switch (op) {
      case 'call':
        sum = digest(sum, await call(at, `${sum}`))
        break
      case 'same': {
        const first = await call(`${at}a`, 'the same')
        sum = digest(sum, first, await call(`${at}b`, 'the same'))
        break
      }
      case 'together':
        sum = digest(sum, ...(await Promise.all([call(`${at}a`, `${sum} a`), call(`${at}b`, `${sum} b`)])))
        break
      case 'step':
        sum = digest(sum, await look(at, i))
        break
      case 'count': {
        const stored = (await a.memory.get(['count']))?.value
        await a.memory.put(['count'], (typeof stored === 'number' ? stored : 0) + 1)
        break
      }
      case 'append':
        await a.memory.append(['log'], `${sum}`.padEnd(20, '.'))
        break
      case 'ring':
        await a.memory.ring(['ring'], `${a.event.id} ${sum}`.padEnd(20, '.'), { size: 4 })
        break
      case 'fill':
        await a.memory.put(['filled', `${sum % 5}`], `${sum}`.padEnd(200_000, '.'))
        break
      case 'forget':
        await a.memory.delete(['count'])
        break
      case 'remember':
        await a.longterm.put(['facts', 'last'], { of: a.event.id, sum })
        break
      case 'update': {
        const before = await observer.read(at, async () => (await a.longterm.get(['facts', 'shared']))?.value ?? null)
        sum = digest(sum, before)
        await a.longterm.put(['facts', 'shared'], { of: a.event.id, sum })
        break
      }
      case 'search': {
        const found = await observer.read(`${at}a`, async () =>
          (await a.longterm.list(['facts'])).items.map(({ key, value }) => [key.join('/'), value]),
        )
        const summary = await call(`${at}b`, `${digest(found)}`)
        await a.longterm.put(['facts', `by ${a.event.id}`], summary)
        sum = digest(sum, summary)
        break
      }
      case 'branch': {
        const seen = await observer.read(`${at}a`, async () => (await a.longterm.get(['outside']))?.value ?? 0)
        if (Number(seen) % 2 === 1) sum = digest(sum, await call(`${at}b`, `${sum} of ${Number(seen)}`))
        break
      }
      case 'glance':
        sum = digest(sum, await observer.read(at, async () => (await a.longterm.get(['outside']))?.value ?? 0))
        break
      case 'ask':
        sum = digest(sum, await observer.ask(at, () => a.interrupt(observer.question(at, { about: sum }))))
        break
      case 'swallow':
        // Whoever catches everything catches the end of a suspended attempt too, and must not go on for that.
        try {
          sum = digest(sum, await observer.ask(at, () => a.interrupt(observer.question(at, { about: sum }))))
        } catch {
          sum = digest(sum, 'swallowed')
        }
        break
      case 'tools':
        sum = digest(sum, await Promise.all([tool(`${at}a`, sum, root), tool(`${at}b`, sum, root)]))
        break
      case 'agents': {
        const read = await peek(`${at}r`, root)
        const about = digest(sum, read)
        sum = digest(sum, read, await Promise.all([agent(`${at}a`, about, root), tool(`${at}b`, about, root)]))
        break
      }
      case 'approve': {
        const approved = (place: string): Promise<JSONValue> =>
          within(place, root, async (inner) => {
            const answer = await put(`${place}q`, digest(sum, await peek(`${place}r`, inner)), inner)
            return call(`${place}c`, `${digest(answer)}`, inner)
          })
        sum = digest(sum, await Promise.all([approved(`${at}a`), approved(`${at}b`), tool(`${at}t`, sum, root)]))
        break
      }
      case 'memorise': {
        // The file is part of the prompt, and the answer has a tool edit it.
        const file = await observer.read(`${at}f`, () => a.outside(() => a.file.read()))
        const asked = digest(sum, file)
        const answer = await call(`${at}c`, `${asked}`)
        const line = lineOf(a.event.id, i)
        const edited = await within(`${at}t`, root, ({ calls, observer: by }) =>
          by.ask(`${at}e`, () => calls.step('edit', () => a.file.add(line, line))),
        )
        sum = digest(asked, answer, edited)
        break
      }
      case 'dump':
        dumped = (await a.memory.list([], { limit: 1000 })).items.map(({ key, value }) => [key.join('/'), value])
        break
      case 'fail':
        if (sum % 3 === 0) throw new Error(`the handler fails at ${i}`)
        break
    }
  }
  await a.memory.put(['sum'], sum)
  return { sum, dumped }
}

/** What an event adds to its entity's memory file at a place of its program. */
export function lineOf(eventId: string, place: number): string {
  return `${eventId}/${place}.`
}

function failure(error: unknown): JSONValue {
  if (error instanceof Error && error.message.startsWith('the model failed')) return error.message
  throw error
}

const ALL: readonly Op[] = [
  'call',
  'call',
  'glance',
  'remember',
  'branch',
  'ask',
  'together',
  'update',
  'count',
  'step',
  'append',
  'ring',
  'search',
  'fail',
  'same',
  'forget',
  'swallow',
  'tools',
  'agents',
  'approve',
  'memorise',
]

const PROFILES: readonly (readonly Op[])[] = [
  ALL,
  ALL,
  ['call', 'ask'],
  ['update', 'call', 'count'],
  ['branch', 'call', 'glance'],
  ['search', 'search', 'remember'],
  ['ask', 'glance', 'branch'],
  ['remember', 'update', 'branch', 'call'],
  ['call', 'fail', 'same'],
  ['ring', 'append', 'ring', 'call'],
  ['tools', 'agents', 'approve'],
  ['agents', 'fail', 'agents', 'tools', 'fail'],
  ['memorise', 'memorise', 'branch'],
]

/** One to four operations, of one profile or of all. */
export function randomProgram(choose: Choose, profile: readonly Op[]): Program {
  return { ops: Array.from({ length: 1 + choose(4) }, () => profile[choose(profile.length)]!) }
}

export function randomProfile(choose: Choose): readonly Op[] {
  return PROFILES[choose(PROFILES.length)]!
}

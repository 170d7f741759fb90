import {
  assert,
  asyncProperty,
  constant,
  infiniteStream,
  nat,
  oneof,
  scheduler,
  type Scheduler,
  type Stream,
} from 'fast-check'
import { expect, test } from 'vitest'
import {
  chatMemory,
  inMemoryStore,
  KeepsakeError,
  type AppendOptions,
  type Message,
  type RowStore,
} from '../src/index.ts'

/** How many appends begin at once. */
const APPENDS = 10
const RUNS = { numRuns: 150 }

/** How many steps of others a call is behind: mostly none, now and then so many that others lose their patience with it. */
const delays = infiniteStream(oneof({ weight: 9, arbitrary: constant(0) }, { weight: 1, arbitrary: nat(1000) }))

/** A store whose calls reach it, and whose answers come back, in the order that the scheduler says. */
function scheduled(inner: RowStore, s: Scheduler, delay: Stream<number>): RowStore {
  async function wait(name: string): Promise<void> {
    for (let steps = delay.next().value ?? 0; steps >= 0; steps--) await s.schedule(Promise.resolve(), name)
  }
  const later =
    <A extends unknown[], R>(name: string, call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      await wait(name)
      const result = await call(...args)
      await wait(`${name} answered`)
      return result
    }
  return {
    ...inner,
    load: later('load', (...args: Parameters<RowStore['load']>) => inner.load(...args)),
    scan: later('scan', (...args: Parameters<RowStore['scan']>) => inner.scan(...args)),
    write: later('write', (...args: Parameters<RowStore['write']>) => inner.write(...args)),
    remove: later('remove', (...args: Parameters<RowStore['remove']>) => inner.remove(...args)),
  }
}

/** Appends all at once to a thread that does not exist, each through a memory of its own; returns the outcomes and the thread. */
async function appendAtOnce(
  [s, delay]: [Scheduler, Stream<number>],
  what: (i: number) => Partial<Message>,
  options: (i: number) => AppendOptions = () => ({}),
) {
  const inner = inMemoryStore()
  const appends = Array.from({ length: APPENDS }, (_, i) =>
    chatMemory(scheduled(inner, s, delay)).append(
      't',
      [{ role: 'user', content: `by ${i}`, ...what(i) } as Message],
      options(i),
    ),
  )
  const outcomes = await s.waitFor(Promise.allSettled(appends))
  const told = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []))
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  return { told, failures, thread: await chatMemory(inner).messages('t') }
}

const byContent = (messages: { content?: unknown }[]) => messages.map(({ content }) => String(content)).toSorted()

test('in every order of their calls, first appends that are told to be stored are there, once', async () => {
  await assert(
    asyncProperty(scheduler(), delays, async (...order) => {
      const { told, failures, thread } = await appendAtOnce(order, () => ({}))
      expect(failures).toEqual([])
      expect(byContent(thread)).toEqual([
        'by 0',
        'by 1',
        'by 2',
        'by 3',
        'by 4',
        'by 5',
        'by 6',
        'by 7',
        'by 8',
        'by 9',
      ])
      expect(byContent(told)).toEqual(byContent(thread))
    }),
    RUNS,
  )
}, 60_000)

test('in every order of their calls, repeats of two operations are stored once each', async () => {
  await assert(
    asyncProperty(scheduler(), delays, async (...order) => {
      const { told, failures, thread } = await appendAtOnce(
        order,
        (i) => ({ content: `operation ${i % 2}` }),
        (i) => ({ opId: `operation ${i % 2}` }),
      )
      expect(failures).toEqual([])
      expect(byContent(thread)).toEqual(['operation 0', 'operation 1'])
      expect(told.toSorted((a, b) => (a.id < b.id ? -1 : 1)).filter(({ id }, i, all) => id !== all[i - 1]?.id)).toEqual(
        thread.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      )
    }),
    RUNS,
  )
}, 60_000)

test('in every order of their calls, of appends with one id and different content one is stored', async () => {
  await assert(
    asyncProperty(scheduler(), delays, async (...order) => {
      const { told, failures, thread } = await appendAtOnce(order, () => ({ id: 'm1' }))
      expect(thread).toEqual(told)
      expect(thread).toHaveLength(1)
      expect(failures).toHaveLength(APPENDS - 1)
      for (const failure of failures) if (!KeepsakeError.isInstance(failure, 'conflict')) throw failure
    }),
    RUNS,
  )
}, 60_000)

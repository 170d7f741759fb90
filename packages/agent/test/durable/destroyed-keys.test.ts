import { eraseSubject, inMemoryStore, records, type RowStore } from '@keepsake/core'
import { destroySubject, encrypted, keyring, subjectKeys } from '@keepsake/privacy/encryption'
import { scriptedModel, text, toolCall } from '@keepsake/store-testing'
import { tool } from 'ai'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent, createEngine } from '../../src/index.ts'
import { rejection, rowsOf, saidIn, testClock } from '../support.ts'

const Context = z.object({ userId: z.string() })

function setup() {
  const database = inMemoryStore()
  const keys = subjectKeys({
    store: inMemoryStore(),
    wrapping: keyring([['test', new Uint8Array(32).fill(3)]]),
    cacheMs: 0,
  })
  const store = encrypted(database, { keys })
  const clock = testClock()
  const model = scriptedModel(({ prompt }) => {
    const asked = JSON.stringify(prompt.at(-1)?.content)
    if (asked.includes('Fail')) throw new Error('a teapot for ada')
    return asked.includes('Delete') ? [text('A balloon.'), toolCall('rm', { path: '/balloon' })] : 'A kite.'
  })
  const agent = createAgent({
    store,
    clock,
    model,
    context: Context,
    owner: ({ userId }) => userId,
    toolApproval: { rm: 'user-approval' },
    tools: { rm: tool({ inputSchema: z.object({ path: z.string() }), execute: async () => 'removed' }) },
  })
  const run = (threadId: string, userId: string, prompt: string) => agent.run({ threadId, prompt, context: { userId } })
  return { database, keys, store, clock, agent, run }
}

/** All that can be read of a store, by whatever keys there are. */
async function readable(store: RowStore): Promise<string> {
  return (await rowsOf(store)).map(({ rec }) => Buffer.from(rec).toString('latin1')).join('\n')
}

/** Events that wait, in the inbox and in the list of all that wait. */
async function inboxOf(store: RowStore): Promise<number> {
  const rows = await rowsOf(store)
  return rows.filter(
    ({ entity, key }) => key.startsWith('in\u0001') || (entity.startsWith('work') && key.startsWith('q')),
  ).length
}

async function workUntil(engine: { work(o: { signal: AbortSignal }): Promise<void> }, isDone: () => Promise<boolean>) {
  const stop = new AbortController()
  const working = engine.work({ signal: stop.signal })
  await expect.poll(isDone, { interval: 5 }).toBe(true)
  stop.abort()
  await working
}

const THEIRS = ['Whisper', 'balloon', 'teapot', 'kite']

test('with the keys of a person, threads, journals, questions and dead letters of theirs are unreadable', async () => {
  const { database, keys, store, agent, run } = setup()
  await run('said', 'ada', 'Whisper to me')
  expect((await run('asked', 'ada', 'Delete the balloon')).status).toBe('suspended')
  await rejection(run('failed', 'ada', 'Fail'))
  await run('of-bob', 'bob', 'Hello')
  for (const word of ['Whisper', 'balloon']) expect(await readable(store)).toContain(word)
  const before = (await rowsOf(database)).length

  // The person's own key, and those of the three threads.
  expect(await destroySubject(store, 'ada', { keys })).toBe(4)
  expect(await destroySubject(store, 'ada', { keys })).toBe(0)
  const left = await readable(store)
  for (const word of THEIRS.slice(0, 3)) expect(left).not.toContain(word)
  expect((await rowsOf(database)).length).toBe(before)
  expect(await saidIn(store)).toHaveLength(1)
  expect(await agent.messages('of-bob', { owner: 'bob' })).toHaveLength(2)

  // A thread of theirs begins anew, and with it whatever was under way in it.
  expect(await agent.messages('said', { owner: 'ada' })).toEqual([])
  for (const thread of ['said', 'asked', 'failed']) {
    expect((await run(thread, 'ada', 'Hello again')).text).toBe('A kite.')
    expect(await agent.messages(thread, { owner: 'ada' })).toHaveLength(2)
    expect((await run(thread, 'ada', 'And again')).text).toBe('A kite.')
    expect(await agent.messages(thread, { owner: 'ada' })).toHaveLength(4)
  }

  await eraseSubject(store, 'ada', { graceMs: 0 })
  expect((await saidIn(store)).flat()).toHaveLength(2)
  const entities = await database.entities({ limit: 99 })
  expect(entities.filter((entity) => /ada|said|asked|failed/.test(entity))).toEqual([])
})

test('an engine entity whose key was destroyed begins anew, and what waited for it is passed over', async () => {
  const { keys, store } = setup()
  const clock = testClock()
  const seen: string[] = []
  const engine = createEngine<string, string[]>({
    store,
    clock,
    async handler(a) {
      if (a.event.data === 'Fail') throw new Error('a teapot')
      seen.push(a.event.data)
      await a.memory.append(['log'], a.event.data)
      return ((await a.memory.get(['log']))?.value ?? []) as string[]
    },
  })
  const event = (id: string, data: string) => ({ entity: 'ada', event: { id, data } })
  await engine.activate(event('e1', 'a kite'))
  await engine.activate(event('e2', 'Fail'))
  await engine.submit(event('e3', 'a balloon'))
  expect(await destroySubject(store, 'ada', { keys })).toBeGreaterThan(0)

  await workUntil(engine, async () => (await inboxOf(store)) === 0)
  expect(seen).toEqual(['a kite'])
  expect(await engine.activate(event('e4', 'a plum'))).toMatchObject({ status: 'completed', output: ['a plum'] })
  expect(await engine.activate(event('e5', 'a pear'))).toMatchObject({ output: ['a plum', 'a pear'] })
  await engine.submit(event('e6', 'a fig'))
  await workUntil(engine, async () => (await inboxOf(store)) === 0)
  expect(seen).toEqual(['a kite', 'a plum', 'a pear', 'a fig'])
  const left = await readable(store)
  for (const word of ['kite', 'balloon', 'teapot']) expect(left).not.toContain(word)
  await engine.close()
})

test('in a thread of others what names the person goes, and the thread goes on', async () => {
  const { keys, store, clock } = setup()
  await records(store, 'team', { clock }).put(['about'], 'she likes kites', { subject: 'ada' })
  await records(store, 'team', { clock }).put(['plan'], 'a picnic')
  expect(await destroySubject(store, 'ada', { keys })).toBe(1)
  const left = await readable(store)
  expect([left.includes('kites'), left.includes('picnic')]).toEqual([false, true])
})

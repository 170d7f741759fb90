import { chatMemory, inMemoryStore, records, type RowStore } from '@keepsake/core'
import { scriptedModel, text, toolCall } from '@keepsake/store-testing'
import { tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent, recordTools, type Agent } from '../../src/index.ts'
import { bare, testClock } from '../support.ts'
import { LEASE_OVER_MS, mortalStore, type TestClock } from './support.ts'

/** What happened outside: model calls by the length of their prompt, and tools that were run. */
interface Outside {
  asked: number[]
  charged: string[]
}

/** An agent of two steps of tools, one of which has a side effect, and one of which saves a memory. */
function shop(store: RowStore, clock: TestClock, outside: Outside): Agent<undefined> {
  return createAgent({
    store,
    clock,
    model: scriptedModel(({ prompt }) => {
      outside.asked.push(prompt.length)
      const turn = prompt.slice(prompt.findLastIndex(({ role }) => role === 'user')).length
      if (turn === 1)
        return [text('Let me see.'), toolCall('charge', { cents: 5 }), toolCall('save_memory', { content: 'Pays.' })]
      if (turn === 3) return toolCall('charge', { cents: 7 })
      return `Done with ${prompt.length}.`
    }),
    instructions: 'Sell.',
    owner: () => 'ada',
    tools: {
      ...recordTools({ store, owner: () => 'ada', clock }),
      charge: tool({
        inputSchema: z.object({ cents: z.number() }),
        execute: async ({ cents }, options) => {
          outside.charged.push(`${cents} ${(options as { idempotencyKey?: string }).idempotencyKey}`)
          return { receipt: cents }
        },
      }),
    },
  })
}

const input = { threadId: 't', prompt: 'Two things', runId: 'second' }

async function contentOf(store: RowStore): Promise<unknown> {
  const memories = await records(store, 'ada').list(['memories'])
  return {
    messages: bare(await chatMemory(store).messages('t', { owner: 'ada' })),
    memories: memories.items.map(({ key, value }) => [key, value]),
    threads: (await chatMemory(store).threads({ owner: 'ada' })).items.map(({ id }) => id),
  }
}

/** A first run, and a second whose process dies at a call of the store; what another process makes of it. */
async function killAt(
  call: number,
  when: 'before' | 'after',
  goOn: (agent: Agent<undefined>) => Promise<unknown>,
  limits: Partial<RowStore['limits']>,
): Promise<{ died: boolean; outside: Outside; content: unknown; calls: number }> {
  const store = inMemoryStore()
  const clock = testClock()
  const outside: Outside = { asked: [], charged: [] }
  await shop(store, clock, { asked: [], charged: [] }).run({ threadId: 't', prompt: 'One', runId: 'first' })
  const mortal = mortalStore(store, call, when, limits)
  const running = shop(mortal, clock, outside).run(input)
  const ended = await Promise.race([running.then(() => 'ended'), mortal.died])
  clock.advance(LEASE_OVER_MS)
  await goOn(shop(mortalStore(store, Infinity, 'before', limits), clock, outside))
  return { died: ended === 'died', outside, content: await contentOf(store), calls: mortal.calls }
}

const expected = {
  messages: [
    { role: 'user', content: 'One' },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Let me see.' },
        { type: 'tool-call', toolCallId: 'call-1', toolName: 'charge', input: { cents: 5 } },
        { type: 'tool-call', toolCallId: 'call-2', toolName: 'save_memory', input: { content: 'Pays.' } },
      ],
    },
  ],
}

describe.each([{ atomicBatch: true }, { atomicBatch: false }])('a process that dies in a run, on %o', (limits) => {
  test.each([
    ['the same run again', async (agent: Agent<undefined>) => void (await agent.run(input))],
    [
      'the next run of the thread, which takes it over',
      async (agent: Agent<undefined>) => {
        await agent.run({ threadId: 't', prompt: 'Three', runId: 'third' })
        // Whether it was ever begun, its caller does not know, and asks once more.
        await agent.run(input)
      },
    ],
  ])('%s: nothing is lost, nothing twice', async (_name, goOn) => {
    let deaths = 0
    for (let call = 1; ; call++) {
      for (const when of ['before', 'after'] as const) {
        const { died, outside, content } = await killAt(call, when, goOn, limits)
        const where = `${when} call ${call}`
        const { messages, memories, threads } = content as { messages: any[]; memories: unknown[]; threads: string[] }
        expect(threads, where).toEqual(['t'])
        expect(messages.slice(0, 2), where).toEqual(expected.messages)
        const second = messages.findIndex((message) => message.content === 'Two things')
        expect(
          messages.filter((message) => message.content === 'Two things'),
          where,
        ).toHaveLength(1)
        expect(
          messages.slice(second + 1, second + 6).map(({ role }) => role),
          where,
        ).toEqual(['assistant', 'tool', 'assistant', 'tool', 'assistant'])
        // One of the first run, and one of the second: saved again by a repeated call, it is the same memory.
        expect(memories, where).toHaveLength(_name.startsWith('the next') ? 3 : 2)
        // A call that was in flight may be made again, with its key; what was journaled is not.
        const own = outside.charged.filter((one) => one.includes(' second/'))
        expect(new Set(own).size, where).toBe(2)
        expect(own.length, where).toBeLessThanOrEqual(3)
        if (_name.startsWith('the same')) {
          expect(outside.asked.length, where).toBeLessThanOrEqual(4)
          expect(new Set(outside.asked).size, where).toBe(3)
        }
        if (!died) {
          expect(outside.asked.length >= 3, where).toBe(true)
          // Reads, claim, three answers, three results, commit.
          expect(deaths).toBeGreaterThan(20)
          return
        }
        deaths++
      }
    }
  })
})

test('a result that is journaled is not asked for again: exact counts', async () => {
  const store = inMemoryStore()
  const clock = testClock()
  const outside: Outside = { asked: [], charged: [] }
  let hang = true
  const never = new Promise<never>(() => {})
  function agentOf(): Agent<undefined> {
    return createAgent({
      store,
      clock,
      model: scriptedModel(({ prompt }) => {
        outside.asked.push(prompt.length)
        return prompt.length === 1 ? [toolCall('a', {}), toolCall('b', {})] : 'Done.'
      }),
      tools: Object.fromEntries(
        ['a', 'b'].map((name) => [
          name,
          tool({
            inputSchema: z.object({}),
            execute: async () => {
              outside.charged.push(name)
              return hang && name === 'b' ? never : name
            },
          }),
        ]),
      ),
    })
  }
  const mortal = agentOf()
  void mortal.run({ threadId: 't', prompt: 'Go', runId: 'r' })
  await expect.poll(() => outside.charged.length).toBe(2)
  // The result of `a` is journaled by now, and `b` never comes to an end: its process is as good as dead.
  await new Promise((resolve) => setTimeout(resolve, 20))
  hang = false
  clock.advance(LEASE_OVER_MS)
  const result = await agentOf().run({ threadId: 't', prompt: 'Go', runId: 'r' })
  expect(result).toMatchObject({ text: 'Done.', replayed: false })
  expect(outside).toEqual({ asked: [1, 3], charged: ['a', 'b', 'b'] })
})

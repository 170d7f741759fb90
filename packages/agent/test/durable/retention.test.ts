import { createRetention, inMemoryStore, type Message, type RetentionRule } from '@keepsake/core'
import { scriptedModel, text, toolCall } from '@keepsake/store-testing'
import { tool } from 'ai'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../../src/index.ts'
import { bare, testClock } from '../support.ts'

const DAY_MS = 86_400_000
const TURNS = 8
/** So that events are forgotten meanwhile, which are known for a month: a known one keeps its commit. */
const BETWEEN_MS = 12 * DAY_MS
const weather = tool({ inputSchema: z.object({}), execute: async () => 'sunny' })

/** A thread of eight turns in 96 days, each with a question, a call with its result, and an answer: four messages. */
async function thread() {
  const clock = testClock()
  const store = inMemoryStore()
  const turns = Array.from({ length: TURNS }, (_, turn) => [
    [text('Look.'), toolCall('weather', {})],
    `Answer ${turn}.`,
  ])
  const model = scriptedModel([...turns.flat(), ...Array.from({ length: 40 }, () => 'Later.')])
  const agent = createAgent({ model, store, clock, tools: { weather }, owner: () => 'ada' })
  for (let turn = 0; turn < TURNS; turn++) {
    await agent.run({ threadId: 't', prompt: `Question ${turn}` })
    clock.advance(BETWEEN_MS)
  }
  return { agent, store, clock }
}

function asked(messages: readonly Message[]): string[] {
  return messages.flatMap((message) => (message.role === 'user' ? [message.content as string] : []))
}

/** Ids of calls without a result, and of results without their call before them. */
function unpaired(messages: readonly Message[]): string[] {
  const open = new Set<string>()
  const orphans: string[] = []
  for (const { content } of messages) {
    if (typeof content === 'string') continue
    for (const part of content as { type: string; toolCallId?: string }[]) {
      if (part.type === 'tool-call') open.add(part.toolCallId!)
      if (part.type === 'tool-result' && !open.delete(part.toolCallId!)) orphans.push(part.toolCallId!)
    }
  }
  return [...orphans, ...open]
}

const messages: RetentionRule = { kind: 'messages', maxAgeMs: 42 * DAY_MS }
const checkpoints: RetentionRule = { kind: 'checkpoints', maxAgeMs: 42 * DAY_MS }

test.each([
  ['messages', [messages], { messages: 5 }, 3],
  ['checkpoints', [checkpoints], { checkpoints: 5 }, TURNS],
  ['both', [messages, checkpoints], { messages: 5, checkpoints: 5 }, 3],
  [
    'both, commits for a day alone',
    [messages, { ...checkpoints, maxAgeMs: DAY_MS }],
    { messages: 5, checkpoints: 5 },
    3,
  ],
] satisfies [string, RetentionRule[], Record<string, number>, number][])(
  'after a retention of %s the history, every checkpoint, every fork and the next runs work',
  async (_, rules, counts, turnsLeft) => {
    const { agent, store, clock } = await thread()
    const retention = createRetention({ rules, clock })
    expect((await retention.sweep(store)).counts).toEqual(counts)
    expect((await retention.sweep(store)).counts).toEqual({})

    const left = await agent.messages('t', { owner: 'ada' })
    const questions = Array.from({ length: turnsLeft }, (__, i) => `Question ${TURNS - turnsLeft + i}`)
    expect([asked(left), left.length, unpaired(left)]).toEqual([questions, turnsLeft * 4, []])

    // Two steps a turn: after the call's result, and after the answer.
    const { items } = await agent.checkpoints('t')
    expect(items).toHaveLength(turnsLeft * 2)
    for (const [index, { id }] of items.entries()) {
      const to = `fork-${index}`
      await agent.fork('t', { at: id, to })
      const forked = await agent.messages(to, { owner: 'ada' })
      // Newest first: an even one is the end of its turn, an odd one the step before it.
      expect(bare(forked)).toEqual(bare(left.slice(0, left.length - Math.floor(index / 2) * 4 - (index % 2))))
      expect((await agent.run({ threadId: to, prompt: 'And now?' })).text).toBe('Later.')
      expect(await agent.messages(to, { owner: 'ada' })).toHaveLength(forked.length + 2)
    }
    expect((await agent.run({ threadId: 't', prompt: 'And now?' })).text).toBe('Later.')
    const after = await agent.messages('t', { owner: 'ada' })
    expect([asked(after), unpaired(after)]).toEqual([[...questions, 'And now?'], []])

    // Forks are threads like others: they are swept when their own time has come.
    clock.advance(43 * DAY_MS)
    if ('messages' in counts) {
      await retention.sweep(store)
      expect((await agent.threads({ owner: 'ada' })).items).toEqual([])
    }
  },
)

import { createAgent } from '@keepsake/agent'
import { chatMemory, inMemoryStore, type ChatMemory, type Message } from '@keepsake/core'
import { generateText, tool, type ModelMessage, type ToolSet } from 'ai'
import { z } from 'zod'
import { instantModel } from './instant-model.ts'
import { micros, type Line } from './line.ts'
import { compare, WARM_UP_ROUNDS, type Sizes } from './measure.ts'

/** What may be spent, in microseconds. */
const BUILD_MICROS = 200
const TURN_MICROS = 2_000
const MESSAGES = 200

export interface AgentTimes {
  buildMicros: number
  turnMicros: number
  byHandMicros: number
}

/** Building an agent, and a turn of it with a model that answers at once: what is left is our own time. */
export async function benchAgent(sizes: Sizes = { rounds: 60, operations: 2 }): Promise<Line[]> {
  const { buildMicros, turnMicros, byHandMicros } = await measureAgent(sizes)
  return [
    budget('createAgent with ten tools', buildMicros, BUILD_MICROS),
    budget(`turn on ${MESSAGES} messages in memory`, turnMicros, TURN_MICROS),
    {
      what: 'the same turn by chat memory and generateText',
      base: micros(byHandMicros),
      ours: micros(turnMicros),
      ratio: turnMicros / byHandMicros,
    },
  ]
}

function budget(what: string, spent: number, allowed: number): Line {
  return { what, base: `${micros(allowed)} allowed`, ours: micros(spent), ratio: spent / allowed, goal: 1 }
}

export async function measureAgent(sizes: Sizes): Promise<AgentTimes> {
  const tools = tenTools()
  const store = inMemoryStore()
  const chat = chatMemory(store)
  // Each thread has one turn: it would not stay as long as it is.
  const turns = (sizes.rounds + WARM_UP_ROUNDS) * sizes.operations
  for (let turn = 0; turn < turns; turn++) for (const way of ['ours', 'hand']) await fill(chat, `${way}-${turn}`)

  const agent = createAgent({ model: instantModel, store, tools })
  const building = await compare(
    { base: () => {}, ours: () => createAgent({ model: instantModel, store, tools }) },
    sizes,
  )
  const turning = await compare(
    {
      base: (turn) => byHand(chat, `hand-${turn}`, tools),
      ours: (turn) => agent.run({ threadId: `ours-${turn}`, prompt: 'And now?' }),
    },
    sizes,
  )
  return { buildMicros: building.oursMicros, turnMicros: turning.oursMicros, byHandMicros: turning.baseMicros }
}

async function byHand(chat: ChatMemory<Message>, thread: string, tools: ToolSet): Promise<void> {
  const asked: Message = { role: 'user', content: 'And now?' }
  const messages = [...(await chat.messages(thread)), asked] as ModelMessage[]
  const { responseMessages } = await generateText({ model: instantModel, messages, tools })
  await chat.append(thread, [asked, ...responseMessages])
}

async function fill(chat: ChatMemory<Message>, thread: string): Promise<void> {
  for (let n = 0; n < MESSAGES; n += 2) {
    await chat.append(thread, [
      { role: 'user', content: `Question ${n}: ${'what about it? '.repeat(10)}` },
      { role: 'assistant', content: [{ type: 'text', text: `Answer ${n}: ${'it is so. '.repeat(20)}` }] },
    ])
  }
}

function tenTools(): ToolSet {
  const names = Array.from({ length: 10 }, (_, n) => `tool_${n}`)
  return Object.fromEntries(
    names.map((name) => [
      name,
      tool({
        description: `Does ${name}`,
        inputSchema: z.object({ query: z.string(), limit: z.number().optional() }),
        execute: async ({ query }) => query,
      }),
    ]),
  )
}

import type { LanguageModelV4 } from '@ai-sdk/provider'
import { inMemoryStore } from '@keepsake/core'
import { scriptedModel, toolCall } from '@keepsake/store-testing'
import { tool } from 'ai'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../src/index.ts'

const t = tool({ inputSchema: z.object({}), execute: async () => 'x'.repeat(1_000) })

/** A scripted model keeps its calls, and with them prompts and signals: so a new one for each call. */
function answer(calls: boolean): LanguageModelV4 {
  return scriptedModel([calls ? toolCall('t', {}) : 'Ok.'])
}

/** What is still alive of a run when it is over: watched by what no one but the run holds. */
function watch(): { register(held: object): void; alive(): number } {
  const held: WeakRef<object>[] = []
  return {
    register: (one) => void held.push(new WeakRef(one)),
    alive: () => held.filter((ref) => ref.deref() !== undefined).length,
  }
}

test('an agent keeps nothing of a thousand runs on a thousand threads', async () => {
  const gc = globalThis.gc ?? (await exposedGc())
  const watched = watch()
  const model: LanguageModelV4 = {
    ...answer(false),
    doGenerate: (call) => answer(call.prompt.length === 1).doGenerate(call),
  }
  const { signal } = new AbortController()
  const agent = createAgent({
    model,
    history: 'none',
    tools: { t },
    middleware: [{ name: 'watch', start: (run) => watched.register(run) }],
  })
  for (let n = 0; n < 1_000; n++) await agent.run({ threadId: `t${n}`, prompt: 'Hi', signal })
  // WeakRefs are cleared between turns of the event loop.
  for (let n = 0; n < 3; n++) {
    await new Promise((resolve) => setImmediate(resolve))
    gc()
  }
  expect(watched.alive()).toBeLessThan(10)
  expect(await agent.run({ threadId: 't0', prompt: 'Hi', signal })).toMatchObject({ text: 'Ok.' })
})

test('a thousand threads in a store are a thousand threads', async () => {
  const store = inMemoryStore()
  const agent = createAgent({ model: scriptedModel(() => 'Ok.'), store })
  for (let n = 0; n < 1_000; n++) await agent.run({ threadId: `t${n}`, prompt: 'Hi' })
  let count = 0
  for await (const { id } of agent.threads()) count += id.startsWith('t') ? 1 : 0
  expect(count).toBe(1_000)
})

/** The collector, without a flag on the command line. */
async function exposedGc(): Promise<() => void> {
  const [{ setFlagsFromString }, { runInNewContext }] = await Promise.all([import('node:v8'), import('node:vm')])
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}

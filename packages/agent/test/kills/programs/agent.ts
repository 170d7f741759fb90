import { appendFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { createAgent, type AgentOptions } from '@keepsake/agent'
import { tool } from 'ai'
import { z } from 'zod'
import { openStore, type StorePlace } from '@keepsake/test-stores/open-store'

/**
 * Runs one turn of three steps of tools until it is done or killed, and prints its messages. Arguments: the store, the file for
 * what happens outside, the id of the run.
 */
const [where = '', file = '', runId = ''] = process.argv.slice(2)
const store = await openStore(JSON.parse(where) as StorePlace)
const note = (what: string): void => appendFileSync(file, `${what}\n`)

const STEPS = 3
const model: AgentOptions<undefined>['model'] = {
  specificationVersion: 'v4',
  provider: 'kills',
  modelId: 'steps',
  supportedUrls: {},
  async doGenerate({ prompt }) {
    const turn = prompt.slice(prompt.findLastIndex(({ role }) => role === 'user'))
    const step = (turn.length + 1) / 2
    note(`model ${runId} ${step}`)
    await setTimeout(Math.random() * 8)
    return {
      content:
        step > STEPS
          ? [{ type: 'text', text: `Done ${runId}.` }]
          : [{ type: 'tool-call', toolCallId: `${runId}-${step}`, toolName: 'work', input: JSON.stringify({ step }) }],
      finishReason: { unified: step > STEPS ? 'stop' : 'tool-calls', raw: undefined },
      usage: {
        inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 },
      },
      warnings: [],
    }
  },
  doStream: () => Promise.reject(new Error('This model does not stream.')),
}

const agent = createAgent({
  model,
  store,
  limits: { leaseMs: 150 },
  tools: {
    work: tool({
      inputSchema: z.object({ step: z.number() }),
      async execute({ step }) {
        note(`tool ${runId} ${step}`)
        await setTimeout(Math.random() * 8)
        return { step }
      },
    }),
  },
})
process.stdout.write('ready\n')
const { text } = await agent.run({ threadId: 't', prompt: `Run ${runId}`, runId })
process.stdout.write(`${text}\n`)
await store.close()

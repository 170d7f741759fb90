import { appendFileSync } from 'node:fs'
import { chatMemory } from '@keepsake/core'
import { sqliteStore } from '@keepsake/store-sql/sqlite'
import { scriptedModel, toolCall } from '@keepsake/store-testing'
import { createHistory } from '@keepsake/strategies'
import { generateText, isStepCount, tool } from 'ai'
import { z } from 'zod'
import { withHistory } from '../../src/index.ts'
import { remember } from '../support.ts'

/*
 * A turn with three tool steps, as a process of its own: DATABASE LOG KILL_AT. What it does is written to the log, a line
 * each. The tool call KILL_AT is the end of it, as by `kill -9`; 0 lets it live.
 */
const [path = '', log = '', killAt = '0'] = process.argv.slice(2)
await using store = sqliteStore({ path })
const history = createHistory({ chat: chatMemory(store) })
const model = scriptedModel(({ prompt }) => {
  const step = prompt.filter(({ role }) => role === 'assistant').length + 1
  appendFileSync(log, `model ${step}\n`)
  return step > 3 ? 'Done.' : toolCall('work', { step })
})
const work = tool({
  inputSchema: z.object({ step: z.number() }),
  execute: async ({ step }, { toolCallId }) => {
    appendFileSync(log, `tool ${toolCallId}\n`)
    if (String(step) === killAt) process.kill(process.pid, 'SIGKILL')
    return `done ${step}`
  },
})
const { text } = await generateText({
  model: remember(model, history),
  prompt: 'Go',
  tools: { work },
  stopWhen: isStepCount(9),
  providerOptions: withHistory('t1', { owner: 'ada', opId: 'request-1' }),
})
console.log(text)

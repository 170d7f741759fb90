import { inMemoryStore } from '@keepsake/core'
import { rowFiles } from '@keepsake/files'
import { scriptedModel, toolCall } from '@keepsake/store-testing'
import { tool } from 'ai'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../../src/index.ts'

const long = Array.from({ length: 3_000 }, (_, n) => `line ${n}`).join('\n')

function reader(result: unknown, { withFiles = true } = {}) {
  const store = inMemoryStore()
  const files = rowFiles(store, 'ada')
  const agent = createAgent({
    store,
    model: scriptedModel(({ prompt }) => (prompt.at(-1)!.role === 'user' ? toolCall('read', {}) : 'Ok.')),
    tools: { read: tool({ inputSchema: z.object({}), execute: async () => result }) },
    ...(withFiles && { files }),
  })
  return { agent, files }
}

async function shown(agent: ReturnType<typeof reader>['agent'], threadId = 't'): Promise<{ type: string; value: any }> {
  const { messages } = await agent.run({ threadId, prompt: 'Read' })
  return (messages[2]!.content as unknown as { output: never }[])[0]!.output
}

test('a long result is kept whole in a file; the model is shown head, tail and where', async () => {
  const { agent, files } = reader(long)
  const { type, value } = await shown(agent)
  expect(type).toBe('text')
  expect(value.length).toBeLessThan(20_200)
  expect(value.startsWith('line 0\n')).toBe(true)
  expect(value.endsWith('line 2999')).toBe(true)
  expect(value).toMatch(/\[… \d+ characters left out; all 28889 are in \/tool-results\/call-1 …\]/)
  expect(await files.read('/tool-results/call-1')).toMatchObject({ ok: true, value: { content: long } })
})

test('calls of the same id in another thread have a file of their own', async () => {
  const { agent, files } = reader(long)
  await shown(agent)
  const { value } = await shown(agent, 'other')
  const path = /are in (\S+)/.exec(value)![1]!
  expect(path).toMatch(/^\/tool-results\/call-1-[0-9a-f]{16}$/)
  expect((await files.read(path)).ok).toBe(true)
})

test('JSON too, in lines', async () => {
  const { agent, files } = reader({ lines: long.split('\n') })
  expect((await shown(agent)).type).toBe('text')
  const read = await files.read('/tool-results/call-1')
  expect(read.ok && JSON.parse(read.value.content)).toEqual({ lines: long.split('\n') })
})

test('a result of 20,000 characters is shown; so is a longer one without files, up to 100,000', async () => {
  const { agent, files } = reader('x'.repeat(20_000))
  expect((await shown(agent)).value).toHaveLength(20_000)
  expect((await files.read('/tool-results/call-1')).ok).toBe(false)
  expect((await shown(reader(long, { withFiles: false }).agent)).value).toBe(long)
})

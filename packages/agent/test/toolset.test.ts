import { inMemoryStore } from '@keepsake/core'
import { createMemoryToolset, rowFiles, type Files } from '@keepsake/files'
import { scriptedModel, toolCall } from '@keepsake/store-testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../src/index.ts'
import { fine, promptsOf, rejection } from './support.ts'

const USER = '/USER.md'

async function filesWith(contents: Record<string, string>): Promise<Required<Files>> {
  const files = rowFiles(inMemoryStore(), 'ada')
  for (const [path, content] of Object.entries(contents)) await files.write(path, content)
  return files
}

async function textOf(files: Files, path: string): Promise<string | undefined> {
  const file = await files.read(path)
  return file.ok ? file.value.content : undefined
}

const remember = toolCall('memory_edit', { path: USER, old_str: '- Ada.', new_str: '- Ada.\n- Likes tea.' })

describe('a memory toolset', () => {
  test('is shown, picked by the input, changed by its tools and written when the run is complete', async () => {
    const files = await filesWith({
      [USER]: '- Ada.\n',
      '/topics/alps.md': '---\ndescription: The trip to the Alps\n---\n\n- In June.\n',
    })
    let during: string | undefined
    const model = scriptedModel(async (_call, index) => {
      if (index === 0) return remember
      during = await textOf(files, USER)
      return 'Noted.'
    })
    const toolset = createMemoryToolset(files, { always: [USER], browse: ['/topics'] })
    const agent = createAgent({ model, history: 'none', instructions: 'Be kind.', toolset })
    const result = await agent.run({ threadId: 't', prompt: 'Will I drink tea in the Alps?' })
    const system = promptsOf(model)[0]![0]!
    expect(system).toMatch(/^system: Be kind\.\n\n## Memory\n/)
    expect(system).toContain('- In June.')
    expect(during).toBe('- Ada.\n')
    expect(await textOf(files, USER)).toBe('- Ada.\n- Likes tea.\n')
    expect(result.memory).toEqual({ written: [USER], conflicts: [] })
  })

  test('stands beside memory files and their tools; the tools of the agent win', async () => {
    const files = await filesWith({ [USER]: '- Ada.\n', '/AGENTS.md': 'Be short.' })
    const model = fine()
    const agent = createAgent({
      model,
      history: 'none',
      files,
      memoryFiles: true,
      toolset: createMemoryToolset(files, { always: [USER] }),
      tools: { read_memory: { description: 'mine', inputSchema: z.object({}), execute: async () => 1 } },
    })
    await agent.run({ threadId: 't', prompt: 'Hi' })
    const system = promptsOf(model)[0]![0]!
    expect(system.indexOf('Be short.')).toBeGreaterThan(-1)
    expect(system.indexOf('Be short.')).toBeLessThan(system.indexOf('## Memory'))
    const tools = model.calls[0]!.tools!.map((tool) => [tool.name, 'description' in tool ? tool.description : ''])
    expect(tools.map(([name]) => name)).toEqual(expect.arrayContaining(['edit_file', 'memory_edit']))
    expect(tools.filter(([name]) => name === 'read_memory')).toEqual([['read_memory', 'mine']])
  })

  test('of a run that fails is not written, and the next run does not see it', async () => {
    const files = await filesWith({ [USER]: '- Ada.\n' })
    const model = scriptedModel([remember, { content: [], error: new Error('down') }, 'Fine.'])
    const toolset = createMemoryToolset(files, { always: [USER] })
    const agent = createAgent({ model, toolset, store: inMemoryStore() })
    expect(await rejection(agent.run({ threadId: 't', prompt: 'I like tea.' }))).toMatchObject({ code: 'run_failed' })
    expect(await textOf(files, USER)).toBe('- Ada.\n')
    const result = await agent.run({ threadId: 't', prompt: 'Hi' })
    expect(result.memory).toEqual({ written: [], conflicts: [] })
    expect(promptsOf(model)[2]![0]).not.toContain('tea')
    expect(await textOf(files, USER)).toBe('- Ada.\n')
  })

  test('that cannot be written fails the run, and nothing is in the history', async () => {
    const files = await filesWith({ [USER]: '- Ada.\n' })
    const down: Files = { ...files, write: () => Promise.reject(new Error('disk full')) }
    const toolset = createMemoryToolset(down, { always: [USER] })
    const agent = createAgent({ model: scriptedModel([remember, 'Noted.']), toolset, store: inMemoryStore() })
    const error = await rejection(agent.run({ threadId: 't', prompt: 'I like tea.' }))
    expect(error.message).toBe(
      'Writing the memory failed: disk full. The turn was not stored; some of its memory may have been written.',
    )
    expect(await agent.messages('t')).toEqual([])
  })

  test('says which change somebody else was faster with', async () => {
    const files = await filesWith({ [USER]: '- Ada.\n' })
    const model = scriptedModel(async (_call, index) => {
      if (index === 0) return remember
      await files.write(USER, '- Eve.\n')
      return 'Noted.'
    })
    const agent = createAgent({ model, history: 'none', toolset: createMemoryToolset(files, { always: [USER] }) })
    const { memory } = await agent.run({ threadId: 't', prompt: 'I like tea.' })
    expect(memory).toEqual({ written: [], conflicts: [{ path: USER, message: 'String not found in file' }] })
    expect(await textOf(files, USER)).toBe('- Eve.\n')
  })

  test('serves one run at a time, and is free again afterwards', async () => {
    const toolset = createMemoryToolset(await filesWith({}), { always: [USER] })
    const { promise: wait, resolve: go } = Promise.withResolvers<void>()
    const model = scriptedModel(async (_call, index) => {
      if (index === 0) await wait
      return 'Fine.'
    })
    const agent = createAgent({ model, history: 'none', toolset })
    const first = agent.run({ threadId: 'a', prompt: 'Hi' })
    expect(await rejection(agent.run({ threadId: 'b', prompt: 'Hi' }))).toMatchObject({
      code: 'conflict',
      retryable: true,
    })
    go()
    await first
    await agent.run({ threadId: 'b', prompt: 'Hi' })
  })

  test('of a function is made for each run', async () => {
    const store = inMemoryStore()
    const agent = createAgent({
      model: scriptedModel(({ prompt }) =>
        prompt.some(({ role }) => role === 'tool') ? 'Noted.' : toolCall('memory_write', { path: USER, content: 'x' }),
      ),
      history: 'none',
      context: z.object({ userId: z.string() }),
      toolset: (run) => createMemoryToolset(rowFiles(store, ['users', run.context.userId]), { always: [USER] }),
    })
    await Promise.all(
      ['ada', 'bob', 'eve'].map((userId) => agent.run({ threadId: userId, prompt: 'Hi', context: { userId } })),
    )
    for (const userId of ['ada', 'bob', 'eve']) expect(await textOf(rowFiles(store, ['users', userId]), USER)).toBe('x')
  })

  test.for([[{}], ['x'], [{ load: 1 }], [null]])('cannot be %j', async ([toolset]) => {
    expect(() => createAgent({ model: fine(), toolset: toolset as never })).toThrow(
      'toolset must be a toolset of createMemoryToolset',
    )
    const agent = createAgent({ model: fine(), toolset: () => toolset as never })
    expect(await rejection(agent.run({ threadId: 't', prompt: 'Hi' }))).toMatchObject({ code: 'invalid_value' })
  })
})

import { inMemoryStore } from '@keepsake/core'
import { memoryPrompt, rowFiles, withPermissions, type Files } from '@keepsake/files'
import { scriptedModel, toolCall } from '@keepsake/store-testing'
import { tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../src/index.ts'
import { fine, linesOf, promptsOf, rejection } from './support.ts'

async function withMemory(text: string): Promise<Files> {
  const files = rowFiles(inMemoryStore(), 'ada')
  await files.write('/AGENTS.md', text)
  return files
}

describe('memory files', () => {
  test('are part of the system message, after the instructions', async () => {
    const files = await withMemory('Answer in German.')
    const model = fine()
    await createAgent({ model, history: 'none', instructions: 'Be short.', files, memoryFiles: true }).run({
      threadId: 't',
      prompt: 'Hi',
    })
    const memory = await memoryPrompt(files, ['/AGENTS.md'])
    expect(memory).toContain('Answer in German.')
    expect(promptsOf(model)[0]).toEqual([`system: Be short.\n\n${memory}`, 'user: Hi'])
  })

  test('are read anew for every run', async () => {
    const files = await withMemory('Answer in German.')
    const model = fine()
    const agent = createAgent({ model, history: 'none', files, memoryFiles: ['/AGENTS.md'] })
    await agent.run({ threadId: 't', prompt: 'Hi' })
    await files.write('/AGENTS.md', 'Answer in Dutch.')
    await agent.run({ threadId: 't', prompt: 'Hi' })
    const [first, second] = promptsOf(model).map(([system]) => system)
    expect(first).toContain('German')
    expect(second).toContain('Dutch')
    expect(second).not.toContain('German')
  })

  test('of a function of the run may be opened first, and ruled by what the run knows', async () => {
    const asked: string[] = []
    const model = scriptedModel(({ prompt }) =>
      prompt.at(-1)?.role === 'tool'
        ? 'Done.'
        : toolCall('edit_file', { file_path: '/AGENTS.md', old_string: 'German', new_string: 'Dutch' }),
    )
    const stored = await withMemory('Answer in German.')
    const agent = createAgent({
      model,
      history: 'none',
      files: async (run) =>
        withPermissions(stored, [{ operations: ['write'], paths: ['/**'], mode: 'ask' }], {
          ask: ({ verb, path, opId }) => {
            asked.push(`${run.threadId}: ${verb} ${path}`)
            expect(opId?.startsWith(`${run.id}/`)).toBe(true)
            return run.threadId === 'trusted'
          },
        }),
    })
    await agent.run({ threadId: 'other', prompt: 'Hi' })
    expect(await stored.read('/AGENTS.md')).toMatchObject({ value: { content: 'Answer in German.' } })
    await agent.run({ threadId: 'trusted', prompt: 'Hi' })
    expect(await stored.read('/AGENTS.md')).toMatchObject({ value: { content: 'Answer in Dutch.' } })
    expect(asked).toEqual(['other: editing /AGENTS.md', 'trusted: editing /AGENTS.md'])
  })

  test('of a function of the run are those of whoever it is', async () => {
    const store = inMemoryStore()
    await rowFiles(store, ['users', 'ada']).write('/AGENTS.md', 'For Ada.')
    const model = fine()
    const agent = createAgent({
      model,
      store,
      context: z.object({ userId: z.string() }),
      files: (run) => rowFiles(store, ['users', run.context.userId]),
      memoryFiles: true,
    })
    await agent.run({ threadId: 'a', prompt: 'Hi', context: { userId: 'ada' } })
    await agent.run({ threadId: 'b', prompt: 'Hi', context: { userId: 'eve' } })
    const [ada, eve] = model.calls.map(({ prompt }) => linesOf(prompt)[0])
    expect(ada).toContain('For Ada.')
    expect(eve).not.toContain('For Ada.')
  })
})

describe('file tools', () => {
  test('come with files, and what they write the next run reads', async () => {
    const files = rowFiles(inMemoryStore(), 'ada')
    const model = scriptedModel([
      toolCall('write_file', { file_path: '/AGENTS.md', content: 'Answer in German.\n' }),
      'Noted.',
      'Hallo!',
    ])
    const agent = createAgent({ model, history: 'none', files, memoryFiles: true })
    await agent.run({ threadId: 't', prompt: 'Remember that I speak German.' })
    await agent.run({ threadId: 'u', prompt: 'Hi' })
    expect(model.calls[0]!.tools!.map(({ name }) => name)).toEqual([
      'ls',
      'read_file',
      'write_file',
      'edit_file',
      'glob',
      'grep',
    ])
    expect(linesOf(model.calls[0]!.prompt)[0]).not.toContain('Answer in German.')
    expect(linesOf(model.calls[2]!.prompt)[0]).toContain('Answer in German.')
  })

  test('give way to tools of the agent of the same name', async () => {
    const model = scriptedModel([toolCall('ls', {}), 'Ok.'])
    const ls = tool({ description: 'Mine', inputSchema: z.object({}), execute: async () => 'mine' })
    const agent = createAgent({ model, history: 'none', files: rowFiles(inMemoryStore(), 'ada'), tools: { ls } })
    const { messages } = await agent.run({ threadId: 't', prompt: 'Hi' })
    expect(messages[2]!.content).toMatchObject([{ output: { type: 'text', value: 'mine' } }])
    expect(model.calls[0]!.tools).toHaveLength(6)
  })

  test('a bad path is an answer to the model and no failure of the run', async () => {
    const model = scriptedModel([toolCall('read_file', { file_path: '/../secret' }), 'Ok.'])
    const agent = createAgent({ model, history: 'none', files: rowFiles(inMemoryStore(), 'ada') })
    const { messages, text } = await agent.run({ threadId: 't', prompt: 'Hi' })
    expect(messages[2]!.content).toMatchObject([{ output: { type: 'text', value: 'Error: invalid_path' } }])
    expect(text).toBe('Ok.')
  })
})

test('files that fail fail the run before the model is called', async () => {
  const model = fine()
  const files = { ...(await withMemory('x')), read: () => Promise.reject(new Error('disk')) }
  const error = await rejection(
    createAgent({ model, history: 'none', files, memoryFiles: true }).run({ threadId: 't', prompt: 'Hi' }),
  )
  expect(error).toMatchObject({ code: 'run_failed', cause: { message: 'disk' } })
  expect(error.message).toMatch(/^Reading the memory files failed/)
  expect(model.calls).toEqual([])
})

import { inMemoryStore } from '@keepsake/core'
import { createMemoryToolset, memoryReads, rowFiles, type Files } from '@keepsake/files'
import { scriptedModel, toolCall, type ScriptedAnswer } from '@keepsake/store-testing'
import { describe, expect, test } from 'vitest'
import { createMemoryCurator } from '../src/index.ts'
import { rejection, testClock } from './support.ts'

const TEA =
  '---\ndescription: Tea\n---\n\nAda drinks green tea in the morning and black coffee after lunch with friends.\n'
const DRINKS =
  '---\ndescription: Drinks\n---\n\nAda drinks green tea in the morning and black coffee after lunch with friends. No milk.\n'
const LONG = Array.from({ length: 30 }, (_, i) => `- Fact ${i} about cars.\n`).join('')

async function curated(script: readonly ScriptedAnswer[]) {
  const store = inMemoryStore()
  const clock = testClock()
  const files = rowFiles(store, 'ada', { clock })
  for (const [path, content] of [
    ['/topics/tea.md', TEA],
    ['/topics/drinks.md', DRINKS],
    ['/topics/cars.md', LONG],
  ] as const) {
    await files.write(path, content)
  }
  const reads = memoryReads(store, 'ada', { clock })
  await reads.add(['/topics/tea.md'])
  clock.advance(1000)
  await reads.add(['/topics/tea.md'])
  const toolset = createMemoryToolset(files, { browse: ['/topics'], reads, tools: ['read_memory'] })
  await toolset.load()
  const model = scriptedModel(script)
  const result = await createMemoryCurator({ model, clock }).run(toolset)
  return { model, result, files, flushed: await toolset.flush() }
}

async function textOf(files: Files, path: string): Promise<string | undefined> {
  const file = await files.read(path)
  return file.ok ? file.value.content : undefined
}

describe('a curator', () => {
  test('is shown reads, last-read times and pairs that nearly repeat each other', async () => {
    const { model, flushed } = await curated(['All is well.'])
    const prompt = JSON.parse(JSON.stringify(model.calls[0]!.prompt.find(({ role }) => role === 'user')))
    const [, topics, pairs] = (prompt.content[0].text as string).split('\n\n')
    expect(JSON.parse(topics!.slice(topics!.indexOf('[')))).toEqual([
      { path: '/topics/cars.md', description: '', lines: 30, reads: 0, lastRead: null },
      { path: '/topics/drinks.md', description: 'Drinks', lines: 5, reads: 0, lastRead: null },
      { path: '/topics/tea.md', description: 'Tea', lines: 5, reads: 2, lastRead: '2026-01-01T00:00:01.000Z' },
    ])
    expect(JSON.parse(pairs!.slice(pairs!.indexOf('[')))).toMatchObject([
      { paths: ['/topics/drinks.md', '/topics/tea.md'] },
    ])
    expect(flushed).toEqual({ written: [], conflicts: [] })
  })

  test('merges and archives with its own tools', async () => {
    const { result, files, flushed } = await curated([
      toolCall('memory_edit', { path: '/topics/drinks.md', old_str: 'No milk.', new_str: 'Never milk.' }),
      toolCall('memory_move', { old_path: '/topics/tea.md', new_path: '/topics/archive/tea.md' }),
      'Merged tea into drinks.',
    ])
    expect(result).toMatchObject({ text: 'Merged tea into drinks.', finishReason: 'stop' })
    expect(flushed).toEqual({ written: ['/topics/archive/tea.md', '/topics/drinks.md'], conflicts: [] })
    expect(await textOf(files, '/topics/archive/tea.md')).toBe(TEA)
    expect(await textOf(files, '/topics/tea.md')).toBeUndefined()
  })

  test('does not shrink a file below half without a reason', async () => {
    const content = '- Facts about cars.\n'
    const { model, files } = await curated([
      toolCall('memory_write', { path: '/topics/cars.md', content }),
      toolCall('memory_edit', { path: '/topics/cars.md', old_str: LONG.slice(0, LONG.length - 24), new_str: '' }),
      'I will not.',
    ])
    const results = JSON.stringify(model.calls.at(-1)!.prompt.filter(({ role }) => role === 'tool'))
    expect(results.match(/Error: more than half of \/topics\/cars\.md would go/g)).toHaveLength(2)
    expect(await textOf(files, '/topics/cars.md')).toBe(LONG)
    const other = await curated([
      toolCall('memory_write', { path: '/topics/cars.md', content, reason: 'They are all the same fact.' }),
      'Done.',
    ])
    expect(await textOf(other.files, '/topics/cars.md')).toBe(content)
  })

  test('that fails throws, and the store is as it was', async () => {
    const files = rowFiles(inMemoryStore(), 'ada')
    await files.write('/topics/tea.md', TEA)
    const toolset = createMemoryToolset(files, { browse: ['/topics'] })
    await toolset.load()
    const model = scriptedModel([
      toolCall('memory_edit', { path: '/topics/tea.md', old_str: 'green', new_str: 'red' }),
      { content: [], error: new Error('down') },
    ])
    expect(await rejection(createMemoryCurator({ model }).run(toolset))).toMatchObject({ code: 'run_failed' })
    expect(await textOf(files, '/topics/tea.md')).toBe(TEA)
  })
})

import { inMemoryStore, records, type RowStore } from '@keepsake/core'
import { rowFiles, stateFiles, type Files } from '@keepsake/files'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createAgent, type AgentOptions } from '../src/index.ts'
import { fine, linesOf, rejection } from './support.ts'

const warn = vi.spyOn(console, 'warn')
beforeEach(() => void warn.mockReset().mockImplementation(() => undefined))
afterEach(() => void warn.mockReset())

const stateOf = (store: RowStore, threadId: string): Files => stateFiles(records(store, ['threads', threadId]))

function remembering(store: RowStore, more: Partial<AgentOptions<undefined>> = {}) {
  const model = fine()
  return { model, agent: createAgent({ model, store, memoryFiles: true, ...more }) }
}

test('without files they are those of the state of the thread, and there are no tools for them', async () => {
  const store = inMemoryStore()
  await stateOf(store, 'a').write('/AGENTS.md', 'Answer in German.\n')
  const { model, agent } = remembering(store)
  await agent.run({ threadId: 'a', prompt: 'Hi' })
  await agent.run({ threadId: 'b', prompt: 'Hi' })
  const [a, b] = model.calls.map(({ prompt }) => linesOf(prompt)[0]!)
  expect(a).toContain('<agent_memory>\n/AGENTS.md\n\nAnswer in German.')
  expect(b).not.toContain('German')
  expect(b).toContain('/AGENTS.md')
  expect(b).not.toContain('create one of these files')
  expect(model.calls.map(({ tools }) => tools)).toEqual([undefined, undefined])
})

test('they outlive the process, and what code writes the next run reads', async () => {
  const store = inMemoryStore()
  await stateOf(store, 'a').write('/AGENTS.md', 'Answer in German.\n')
  await remembering(store).agent.run({ threadId: 'a', prompt: 'Hi' })
  await stateOf(store, 'a').edit('/AGENTS.md', 'German', 'Dutch')
  const { model, agent } = remembering(store)
  await agent.run({ threadId: 'a', prompt: 'Hi' })
  expect(linesOf(model.calls[0]!.prompt)[0]).toContain('Answer in Dutch.')
})

test('building the agent warns, once; one with files, or without memory files, does not', async () => {
  const store = inMemoryStore()
  const { agent } = remembering(store)
  await agent.run({ threadId: 'a', prompt: 'Hi' })
  await agent.run({ threadId: 'a', prompt: 'Hi' })
  expect(warn.mock.calls).toEqual([[expect.stringMatching(/^Keepsake: memoryFiles without files .*Pass files/)]])
  remembering(store, { files: rowFiles(store, 'ada') })
  remembering(store, { memoryFiles: [] })
  expect(warn).toHaveBeenCalledTimes(1)
})

test('they are where the runs are: in the store of the history, else in that of the agent', async () => {
  const [store, other] = [inMemoryStore(), inMemoryStore()]
  await stateOf(store, 'a').write('/AGENTS.md', 'Of the agent.\n')
  await stateOf(other, 'a').write('/AGENTS.md', 'Of the history.\n')
  const systemOf = async (more: Partial<AgentOptions<undefined>>): Promise<string> => {
    const { model, agent } = remembering(store, more)
    await agent.run({ threadId: 'a', prompt: 'Hi' })
    return linesOf(model.calls[0]!.prompt)[0]!
  }
  expect(await systemOf({})).toContain('Of the agent.')
  expect(await systemOf({ history: { store: other } })).toContain('Of the history.')
  expect(await systemOf({ history: 'none' })).toContain('Of the agent.')
})

test('they go with the thread; what else is kept under its name stays', async () => {
  const store = inMemoryStore()
  const state = records(store, ['threads', 'a'])
  for (const id of ['a', 'b']) await stateOf(store, id).write('/AGENTS.md', 'x\n')
  await state.put(['other'], 1)
  const { agent } = remembering(store)
  await agent.run({ threadId: 'a', prompt: 'Hi' })
  await agent.deleteThread('a')
  expect(await stateOf(store, 'a').read('/AGENTS.md')).toMatchObject({ code: 'not_found' })
  expect(await stateOf(store, 'b').read('/AGENTS.md')).toMatchObject({ ok: true })
  expect(await state.get(['other'])).toMatchObject({ value: 1 })
})

test('another owner is neither shown them, nor removes them', async () => {
  const store = inMemoryStore()
  await stateOf(store, 'a').write('/AGENTS.md', 'Secret.\n')
  const of = (owner: string) => remembering(store, { owner: () => owner })
  await of('ada').agent.run({ threadId: 'a', prompt: 'Hi' })
  const eve = of('eve')
  expect((await rejection(eve.agent.run({ threadId: 'a', prompt: 'Hi' }))).code).toBe('wrong_owner')
  expect(eve.model.calls).toEqual([])
  expect((await rejection(eve.agent.deleteThread('a', { owner: 'eve' }))).code).toBe('wrong_owner')
  expect(await stateOf(store, 'a').read('/AGENTS.md')).toMatchObject({ ok: true })
})

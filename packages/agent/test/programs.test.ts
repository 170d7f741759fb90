import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inMemoryStore, records } from '@keepsake/core'
import { rowFiles } from '@keepsake/files'
import { openStore } from '@keepsake/open'
import { scriptedModel, toolCall } from '@keepsake/store-testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createAgent } from '../src/index.ts'
import {
  approvals,
  chatHistory,
  compareAndSet,
  fileToolsInAi,
  httpStream,
  kvStore,
  messageToModel,
  modelToMessage,
  multiUser,
  partToAi,
  right,
  runMultiUser,
  timing,
  tooLittleContext,
  windowed,
  wrong,
} from './programs.ts'
import { linesOf, promptsOf, rejection } from './support.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keepsake-programs-'))
})
afterEach(() => rm(folder, { recursive: true }))

test('types fit those of ai', () => {
  expect([messageToModel, modelToMessage, partToAi]).toEqual([true, true, true])
})

test('what must not compile does not work either', async () => {
  const model = scriptedModel([])
  const failing = wrong(model)
  expect(failing).toHaveLength(4)
  for (const work of failing) expect((await rejection(work())).code).toBe('invalid_value')
  expect(model.calls).toEqual([])
})

test('what must compile is built', () => {
  expect(right(scriptedModel([]))).toHaveLength(2)
  expect(() => tooLittleContext(scriptedModel([]))).not.toThrow()
})

test('1: chat history on SQLite', async () => {
  const path = join(folder, 'app.db')
  const model = scriptedModel(['Hello Ada.', 'Still here.'])
  expect(await chatHistory(model, path, 'I am Ada.')).toEqual(['t1'])
  // Another process, as it were: the file is opened again.
  expect(await chatHistory(model, path, 'Who am I?')).toEqual(['t1'])
  expect(promptsOf(model)).toEqual([
    ['user: I am Ada.'],
    ['user: I am Ada.', 'assistant: Hello Ada.', 'user: Who am I?'],
  ])
})

test('2: a window in the loop of the AI SDK', async () => {
  const model = scriptedModel(['Yes.'])
  const messages = [
    { role: 'user' as const, content: 'One' },
    { role: 'assistant' as const, content: 'Fine.' },
    { role: 'user' as const, content: 'Two' },
  ]
  expect(await windowed(model, messages)).toBe('Yes.')
  expect(promptsOf(model)).toEqual([['user: Two']])
})

test.each(['memory://', 'sqlite:'])('3: an agent of many users, on %s', async (scheme) => {
  await using store = await openStore(scheme === 'sqlite:' ? `sqlite:${join(folder, 'app.db')}` : scheme)
  await rowFiles(store, ['users', 'ada']).write('/AGENTS.md', 'Answer in German.')
  const model = scriptedModel([toolCall('remember', { fact: 'Likes tea' }), 'Gern!'])
  const agent = multiUser(model, store)
  expect(await runMultiUser(agent, 'Remember that I like tea')).toBe('Gern!')
  expect(linesOf(model.calls[0]!.prompt)[0]).toContain('Answer in German.')
  expect(await records(store, ['users', 'ada']).get(['memories', 'call-1'])).toMatchObject({
    value: { fact: 'Likes tea' },
  })
  expect((await agent.threads({ owner: 'ada' })).items).toMatchObject([{ id: 't1', owner: 'ada' }])
})

test('4: a stream to useChat', async () => {
  const response = httpStream(scriptedModel(['Hi there.'], { deltaChars: 100 }), 'Hi', new AbortController().signal)
  const text = await response.text()
  expect(text).toContain('data: {"type":"text-delta","id":"text-0","delta":"Hi there."}')
  expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true)
})

test('5: approvals', async () => {
  const store = inMemoryStore()
  const write = (path: string) => toolCall('write_file', { file_path: path, content: 'A' })
  const model = scriptedModel([[write('/a.md'), write('/b.md')], write('/c.md'), 'Written.'])
  expect(await approvals(model, store, 'Write')).toBe('Written.')
  for (const path of ['/a.md', '/b.md', '/c.md']) expect((await rowFiles(store, 'org').read(path)).ok).toBe(true)
})

test('5: file tools in the AI SDK', async () => {
  const store = inMemoryStore()
  const model = scriptedModel([toolCall('write_file', { file_path: '/a.md', content: 'A' }), 'Written.'])
  expect(await fileToolsInAi(model, store, 'Write')).toBe('Written.')
  expect(await rowFiles(store, 'org').read('/a.md')).toMatchObject({ ok: true, value: { content: 'A' } })
})

test('8: a middleware', async () => {
  const log: [string, boolean][] = []
  const agent = createAgent({
    model: scriptedModel(['Ok.']),
    history: 'none',
    middleware: [timing((id, ms) => log.push([id, ms >= 0]))],
  })
  await agent.run({ threadId: 't', prompt: 'Hi', runId: 'r' })
  expect(log).toEqual([['r', true]])
})

test('9: compare and set, and a history', async () => {
  const store = inMemoryStore()
  const model = scriptedModel(['Ok.', 'Ok again.'])
  const agent = await compareAndSet(model, store)
  await compareAndSet(model, store)
  await agent.run({ threadId: 't', prompt: 'One' })
  await agent.run({ threadId: 't', prompt: 'Two' })
  expect(await records(store, 'ada').get(['count'])).toMatchObject({ value: { n: 2 } })
  expect(await agent.messages('t')).toHaveLength(4)
})

test('10: a store', async () => {
  const row = { entity: 'e', key: 'k', seq: 1, rec: new Uint8Array([1]), updatedAtMs: 1 }
  const store = kvStore({ get: async (key) => (key === 'ek' ? row : undefined) })
  expect(
    await store.load!([
      { entity: 'e', key: 'k' },
      { entity: 'e', key: 'x' },
    ]),
  ).toEqual([row, undefined])
})

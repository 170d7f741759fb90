import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { records } from '@keepsake/core'
import { sqliteStore } from '@keepsake/store-sql/sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readTrace, say } from './run-chat.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assistant-test-'))
})
afterEach(async () => {
  await rm(folder, { recursive: true })
})

const ada = (thread: string, says: string): Promise<string> => say({ folder, user: 'ada', thread, says })
const CAPITAL = 'What is the capital of France?'
const ENGLISH = 'Paris is the capital of France.'
const GERMAN = 'Paris ist die Hauptstadt von Frankreich.'

test('a preference is kept in the memory file and holds in a new thread of a new process', async () => {
  expect(await ada('first', CAPITAL)).toBe(ENGLISH)
  expect(await ada('first', 'Please remember that I prefer answers in German.')).toBe('I have written that down.')
  expect(await readFile(join(folder, 'memory/ada/AGENTS.md'), 'utf8')).toBe(
    '# About the user\n\n- Prefers answers in German.\n',
  )
  expect(await ada('second', CAPITAL)).toBe(GERMAN)
})

test('without the memory file the answer is English again', async () => {
  await ada('first', 'Please remember that I prefer answers in German.')
  expect(await ada('second', CAPITAL)).toBe(GERMAN)
  await rm(join(folder, 'memory/ada/AGENTS.md'))
  expect(await ada('third', CAPITAL)).toBe(ENGLISH)
})

test('a second fact is added below the first, and both are known', async () => {
  await ada('first', 'Please remember that I prefer short answers.')
  await ada('second', 'Please remember that I am a vegetarian.')
  expect(await readFile(join(folder, 'memory/ada/AGENTS.md'), 'utf8')).toBe(
    '# About the user\n\n- Prefers short answers.\n- Is a vegetarian.\n',
  )
  expect(await ada('third', 'What do you know about me?')).toBe('This:\n- Prefers short answers.\n- Is a vegetarian.')
})

test('a record is found in a new thread, and not once it is deleted', async () => {
  expect(await ada('first', 'My favourite food is pizza.')).toBe('I keep that in mind: pizza.')
  expect(await ada('second', 'What is my favourite food?')).toBe('It is pizza.')
  await using store = sqliteStore({ path: join(folder, 'assistant.db') })
  expect(await records(store, 'ada').deleteAll([])).toBe(1)
  expect(await ada('third', 'What is my favourite food?')).toBe('I do not know that yet.')
})

test('a thread is resumed by another process', async () => {
  await ada('first', CAPITAL)
  await ada('other', 'My favourite food is pizza.')
  expect(await ada('first', 'What did I ask you first?')).toBe(`You began with: "${CAPITAL}"`)
})

test('a second user sees nothing of the first, not even in a prompt', async () => {
  await ada('monday', 'Please remember that I prefer answers in German.')
  await ada('monday', 'My favourite food is pizza.')
  const trace = join(folder, 'bob.jsonl')
  const bob = (says: string): Promise<string> => say({ folder, user: 'bob', thread: 'monday', says, trace })
  expect(await bob(CAPITAL)).toBe(ENGLISH)
  expect(await bob('What do you know about me?')).toBe('Nothing yet.')
  expect(await bob('What is my favourite food?')).toBe('I do not know that yet.')
  expect(await bob('What did I ask you first?')).toBe(`You began with: "${CAPITAL}"`)
  const prompts = await readTrace(trace)
  // One prompt a turn, and a second one after the search.
  expect(prompts.map(({ owner }) => owner)).toEqual(['bob', 'bob', 'bob', 'bob', 'bob'])
  for (const { prompt } of prompts) expect(prompt).not.toMatch(/German|pizza|ada/i)
})

// A dozen processes, one after the other.
test('the demo tells its story and shows the file', { timeout: 120_000 }, async () => {
  const demo = fileURLToPath(new URL('../src/demo.ts', import.meta.url))
  const output = await new Promise<string>((resolve, reject) => {
    execFile(process.execPath, [demo], { env: { PATH: process.env['PATH'], TMPDIR: folder } }, (error, stdout) =>
      error === null ? resolve(stdout) : reject(error),
    )
  })
  expect(output.match(/^ {2}Paris .*$/gm)).toEqual([`  ${GERMAN}`, `  ${ENGLISH}`])
  expect(output).toContain('  Das ist pizza.\n')
  expect(output).toContain('  Du hast so angefangen: „Please remember that I prefer answers in German.“\n')
  expect(output).toContain('  # About the user\n\n  - Prefers answers in German.\n')
  expect(output).toContain('  ✗ Its process was killed')
  expect(output).toContain('  Das merke ich mir: green.\n  The model was asked 2 times')
  expect(output).not.toContain('\u001b[')
})

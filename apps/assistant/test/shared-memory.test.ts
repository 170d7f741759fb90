import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readTrace, runChat, say } from './run-chat.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assistant-test-'))
})
afterEach(async () => {
  await rm(folder, { recursive: true })
})

async function put(path: string, text: string): Promise<void> {
  await mkdir(join(folder, path, '..'), { recursive: true })
  await writeFile(join(folder, path), text)
}

test('a project is shared by those who work on it, and by nobody else', async () => {
  await put('projects/apollo/AGENTS.md', '- Starts in May.\n')
  await put('projects/gemini/AGENTS.md', '- Starts in June.\n')
  const asks = { folder, thread: 't', says: 'What do you know about me?' }
  expect(await say({ ...asks, user: 'ada', project: 'apollo' })).toBe('This:\n- Starts in May.')
  expect(await say({ ...asks, user: 'bob', project: 'apollo' })).toBe('This:\n- Starts in May.')
  expect(await say({ ...asks, user: 'eve' })).toBe('Nothing yet.')
})

test('policies are read by everybody and written by no assistant', async () => {
  await put('policies/AGENTS.md', '- Be polite.\n')
  const turn = { folder, user: 'ada', thread: 't' }
  expect(await say({ ...turn, says: 'What do you know about me?' })).toBe('This:\n- Be polite.')
  expect(await say({ ...turn, says: 'Please change the policy.' })).toBe(
    'I may not: Error: Permission denied editing /policies/AGENTS.md',
  )
  expect(await readFile(join(folder, 'policies/AGENTS.md'), 'utf8')).toBe('- Be polite.\n')
})

test('what was decided is in the notes when a conversation has ended, and in the prompt of the next', async () => {
  const notes = join(folder, 'memory/ada/NOTES.md')
  const talk = ['--folder', folder, '--user', 'ada', '--thread', 'monday']
  const first = await runChat(talk, {}, 'We decided to ship on Friday.\nWhat is the capital of France?\n\n')
  expect(first).toMatchObject({ code: 0, stderr: '' })
  expect(first.stdout).toContain('Noted in /NOTES.md.')
  expect(await readFile(notes, 'utf8')).toBe('# Notes\n\n- Decided: ship on Friday.\n')

  // Nothing new: nothing is noted again. What comes after it is.
  expect((await runChat(talk, {}, '\n')).stdout).not.toContain('Noted')
  await say({ folder, user: 'ada', thread: 'monday', says: 'We decided that Bob tests.', consolidate: true })
  expect(await readFile(notes, 'utf8')).toBe('# Notes\n\n- Decided: ship on Friday.\n- Decided: Bob tests.\n')

  const trace = join(folder, 'trace.jsonl')
  await say({ folder, user: 'ada', thread: 'tuesday', says: 'What is the capital of France?', trace })
  expect((await readTrace(trace))[0]!.prompt).toContain('Decided: ship on Friday.')
  await say({ folder, user: 'bob', thread: 'tuesday', says: 'What is the capital of France?', trace })
  expect((await readTrace(trace))[1]!.prompt).not.toContain('Decided')
})

test('a topic file is shown in full when a message is about it', async () => {
  await put('memory/ada/topics/alps.md', '---\ndescription: The trip to the Alps\n---\n\n- In June, with Bob.\n')
  await put('memory/ada/topics/tax.md', '---\ndescription: Taxes\n---\n\n- Due in March.\n')
  const trace = join(folder, 'trace.jsonl')
  await say({ folder, user: 'ada', thread: 't', says: 'When do I go to the Alps?', trace })
  const prompt = (await readTrace(trace))[0]!.prompt
  expect(prompt).toContain('In June, with Bob.')
  expect(prompt).toContain('/topics/tax.md: Taxes')
  expect(prompt).not.toContain('Due in March.')
})

test.for(['../ada', 'a/b', ''])('the project %j is refused', async (project) => {
  const { code, stderr } = await runChat(['--folder', folder, '--say', 'Hi', '--project', project])
  expect(code).not.toBe(0)
  expect(stderr).toMatch(/path segment|--project is empty/)
})

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { records } from '@keepsake/core'
import { sqliteStore } from '@keepsake/store-sql/sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runChat } from './run-chat.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assistant-test-'))
})
afterEach(async () => {
  await rm(folder, { recursive: true })
})

test('what a killed process had begun another goes on with, and does nothing of it again', async () => {
  const trace = join(folder, 'prompts.jsonl')
  const said = [
    '--folder',
    folder,
    '--user',
    'ada',
    '--run',
    'r',
    '--trace',
    trace,
    '--say',
    'My favourite food is pizza.',
  ]
  const killed = await runChat([...said, '--die-in-step', '2'])
  expect(killed).toMatchObject({ code: 1, stdout: '', stderr: '' })
  const next = await runChat(said)
  expect(next).toMatchObject({ code: 0, stdout: 'I keep that in mind: pizza.\n' })
  expect((await readFile(trace, 'utf8')).trim().split('\n')).toHaveLength(2)
  await using store = sqliteStore({ path: join(folder, 'assistant.db') })
  expect((await records(store, 'ada').list(['memories'])).items).toHaveLength(1)
})

test.each([['0'], ['x'], ['100']])('--die-in-step %s is refused', async (step) => {
  const { code, stderr } = await runChat(['--folder', folder, '--say', 'Hi', '--die-in-step', step])
  expect([code, stderr]).toEqual([2, '--die-in-step must be a number from 1 to 99.\n'])
})

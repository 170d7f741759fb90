import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chatMemory } from '@keepsake/core'
import { sqliteStore } from '@keepsake/store-sql/sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { linesOf } from './support.ts'

const program = fileURLToPath(new URL('programs/turn.ts', import.meta.url))

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keepsake-killed-'))
})
afterEach(() => rm(folder, { recursive: true }))

/** Runs the turn in a process of its own: what it printed, or the signal that ended it. */
function run(killAt: number): Promise<string> {
  const parameters = [program, join(folder, 'app.db'), join(folder, 'log'), String(killAt)]
  return new Promise((resolve, reject) => {
    execFile(process.execPath, parameters, (error, stdout, stderr) => {
      if (error === null) resolve(stdout.trim())
      else if (error.signal === 'SIGKILL') resolve('SIGKILL')
      else reject(new Error(stderr))
    })
  })
}

test('a process that is killed in a tool, twice: the next one goes on, and asks the model for nothing twice', async () => {
  expect(await run(1)).toBe('SIGKILL')
  expect(await run(3)).toBe('SIGKILL')
  expect(await run(0)).toBe('Done.')
  const done = (await readFile(join(folder, 'log'), 'utf8')).trim().split('\n')
  const first = ['model 1', 'tool call-1']
  const second = ['tool call-1', 'model 2', 'tool call-2', 'model 3', 'tool call-3']
  const third = ['tool call-1', 'tool call-2', 'tool call-3', 'model 4']
  expect(done).toEqual([...first, ...second, ...third])
  await using store = sqliteStore({ path: join(folder, 'app.db') })
  expect(await linesOf({ chat: chatMemory(store) })).toEqual([
    'user: Go',
    'assistant: call call-1 {"step":1}',
    'tool: result call-1 done 1',
    'assistant: call call-2 {"step":2}',
    'tool: result call-2 done 2',
    'assistant: call call-3 {"step":3}',
    'tool: result call-3 done 3',
    'assistant: Done.',
  ])
})

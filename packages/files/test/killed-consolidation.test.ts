import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chatMemory } from '@keepsake/core'
import { sqliteStore } from '../../store-sql/src/sqlite.ts'
import { expect, onTestFinished, test } from 'vitest'

const program = fileURLToPath(new URL('programs/consolidate.ts', import.meta.url))

/** Runs the program and kills it when the model was asked for the `nth` time, some turns of the event loop later. */
function run(folder: string, nth: number, turns: number): Promise<string> {
  const child = spawn(process.execPath, [program, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const before = output.split('asked').length - 1
    output += text
    if (before < nth && output.split('asked').length - 1 >= nth) later(turns, () => child.kill('SIGKILL'))
  })
  return new Promise((resolve) => child.once('close', () => resolve(output)))
}

function later(turns: number, work: () => void): void {
  if (turns === 0) work()
  else setImmediate(() => later(turns - 1, work))
}

test('a worker that is killed again and again leaves nothing out and nothing twice', { timeout: 120_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'consolidate-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const texts = Array.from({ length: 20 }, (_, i) => `message ${i + 1}`)
  {
    await using store = sqliteStore({ path: join(folder, 'memory.db') })
    for (const content of texts) await chatMemory(store).append('t', [{ role: 'user', content }], { owner: 'ada' })
  }
  let kills = 0
  for (let round = 0; ; round++) {
    const output = await run(folder, 1 + (round % 3), round * 40)
    if (/^(?:consolidated|nothing_new)$/m.test(output)) break
    // The lease of one that was killed is still running: the next round finds it over.
    if (!output.includes('busy')) kills++
    expect(round).toBeLessThan(100)
  }
  expect(kills).toBeGreaterThan(0)
  const notes = await readFile(join(folder, 'files/NOTES.md'), 'utf8')
  expect(notes).toBe(`# Notes\n${texts.map((text) => `- ${text}\n`).join('')}`)
})

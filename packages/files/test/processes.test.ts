import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { localFiles } from '../src/local/local-files.ts'
import { temporaryFolders } from './temporary-folder.ts'

interface Worker {
  process: ChildProcessByStdio<Writable, Readable, null>
  /** The next line that it prints. */
  line(): Promise<string>
  go(): void
  kill(): Promise<void>
}

const folder = temporaryFolders()
const workers: Worker[] = []
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.kill()))
})

/** A process that is loaded and waits to be told to go, so that all begin together. */
async function startWorker(...args: string[]): Promise<Worker> {
  const script = fileURLToPath(new URL('worker.ts', import.meta.url))
  const child = spawn(process.execPath, [script, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const worker: Worker = {
    process: child,
    line: async () => String((await lines.next()).value),
    go: () => child.stdin.write('go\n'),
    kill: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
  workers.push(worker)
  expect(await worker.line()).toBe('ready')
  return worker
}

describe('a process that is killed', () => {
  it('while it holds the lock: the next writer takes it over', async () => {
    const root = folder()
    const files = localFiles({ root })
    await files.write('/a.md', 'one\n')
    // The first 16 digits of the SHA-256 of "a.md".
    const lock = join(root, '.keepsake-fecccc97532467ad.lock')
    const worker = await startWorker(root, 'hold', lock)
    worker.go()
    expect(await worker.line()).toBe('held')
    const left = join(root, `.keepsake-fecccc97532467ad-holder-${worker.process.pid}.tmp`)
    writeFileSync(left, 'half a fi')
    await worker.kill()
    expect(readdirSync(root)).toHaveLength(3)

    expect(await files.edit('/a.md', 'one', 'two')).toMatchObject({ ok: true })
    expect(readdirSync(root)).toEqual(['a.md'])
    expect(readFileSync(join(root, 'a.md'), 'utf8')).toBe('two\n')
  })

  it('while it writes: the file is whole, and others go on', async () => {
    const root = folder()
    const files = localFiles({ root })
    for (let round = 0; round < 5; round++) {
      const worker = await startWorker(root, 'rewrite')
      worker.go()
      for (let i = 0; i < round; i++) expect(await worker.line()).toBe('.')
      await worker.kill()
      const read = await files.read('/a.md')
      if (read.ok) {
        expect(read.value.content).toHaveLength(100_000)
        expect(['a', 'b'].map((letter) => letter.repeat(100_000))).toContain(read.value.content)
      } else expect([round, read.code]).toEqual([0, 'not_found'])
      expect(await files.write('/a.md', 'b'.repeat(100_000))).toMatchObject({ ok: true })
    }
    expect(readdirSync(root)).toEqual(['a.md'])
  })

  it('at any moment of an edit, whose replay then leaves it once', async () => {
    const outcomes: string[] = []
    for (let nth = 1; outcomes.at(-1) !== 'edited'; nth++) {
      const root = folder()
      writeFileSync(join(root, 'a.md'), 'end\n')
      const worker = await startWorker(root, 'die', String(nth))
      worker.go()
      const said = await worker.line()
      outcomes.push(said === 'edited' ? said : readFileSync(join(root, 'a.md'), 'utf8'))
      const replayed = await localFiles({ root }).edit('/a.md', 'end\n', 'one\nend\n', { opId: 'run/call' })
      expect([nth, replayed]).toMatchObject([nth, { ok: true }])
      expect([nth, readFileSync(join(root, 'a.md'), 'utf8')]).toEqual([nth, 'one\nend\n'])
      // The list of what has landed, and nothing else.
      expect([nth, readdirSync(root).toSorted()]).toEqual([nth, ['.keepsake-fecccc97532467ad.ops', 'a.md']])
    }
    // It died before the edit was there, and after.
    expect(new Set(outcomes)).toEqual(new Set(['end\n', 'one\nend\n', 'edited']))
    expect(outcomes.length).toBeGreaterThan(20)
  }, 120_000)
})

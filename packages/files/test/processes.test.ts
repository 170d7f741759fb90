import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { sqliteStore } from '@keepsake/store-sql/sqlite'
import { afterEach, describe, expect, it } from 'vitest'
import type { Files } from '../src/files.ts'
import { localFiles } from '../src/local/local-files.ts'
import { rowFiles } from '../src/row-files.ts'
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

async function results(started: readonly Worker[]): Promise<string[]> {
  for (const worker of started) worker.go()
  return Promise.all(started.map((worker) => worker.line()))
}

const kinds: [kind: string, open: () => Promise<{ where: string; files: Files }>][] = [
  [
    'local',
    async () => {
      const where = folder()
      return { where, files: localFiles({ root: where }) }
    },
  ],
  [
    'rows',
    async () => {
      const where = join(folder(), 'memory.db')
      const store = sqliteStore({ path: where })
      await store.provision()
      return { where, files: rowFiles(store, 'ada') }
    },
  ],
]

describe.for(kinds)('several processes on one file: %s', ([kind, open]) => {
  it('land all edits of different lines', async () => {
    const { where, files } = await open()
    const ids = ['p', 'q', 'r', 's']
    const lines = Array.from({ length: 25 }, (_, i) => ids.map((id) => `${id}-${i}:\n`).join('')).join('')
    await files.write('/a.md', lines)
    const started = await Promise.all(ids.map((id) => startWorker(kind, where, 'edit', id, '25')))
    expect(await results(started)).toEqual(['25', '25', '25', '25'])
    expect(await files.read('/a.md')).toMatchObject({ value: { content: lines.replaceAll(':\n', ': done\n') } })
  })

  it('land one edit of the same text', async () => {
    const { where, files } = await open()
    await files.write('/a.md', 'This seat is free.\n')
    const ids = ['p', 'q', 'r', 's']
    const started = await Promise.all(ids.map((id) => startWorker(kind, where, 'claim', id)))
    const outcomes = await results(started)
    expect(outcomes.toSorted()).toEqual(['no_match', 'no_match', 'no_match', 'ok'])
    const winner = ids[outcomes.indexOf('ok')]
    expect(await files.read('/a.md')).toMatchObject({ value: { content: `This seat is taken by ${winner}.\n` } })
  })
})

describe('a process that is killed', () => {
  it('while it holds the lock: the next writer takes it over', async () => {
    const root = folder()
    const files = localFiles({ root })
    await files.write('/a.md', 'one\n')
    // The first 16 digits of the SHA-256 of "a.md".
    const lock = join(root, '.keepsake-fecccc97532467ad.lock')
    const worker = await startWorker('local', root, 'hold', lock)
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
      const worker = await startWorker('local', root, 'rewrite')
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
})

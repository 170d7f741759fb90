import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Files } from '@keepsake/files'
import { describe, expect, it } from 'vitest'
import { editedLineOf, END, lineOf, markOf, markOpId, SHARED_PATH, type FilesJob } from './files-program.ts'

export interface FilesProcesses {
  /** A program that calls `runFilesProgram`. */
  program: URL
  /** An empty file system, and what the program is told to find it by. */
  open: () => Promise<{ files: Files; where: string; close?: () => Promise<void> }>
}

interface Worker {
  /** The next line that it prints; `undefined` when it has ended. */
  line(): Promise<string | undefined>
  go(): void
  kill(): void
}

const PROCESSES = 16
const EDITS = 1000
const ROUNDS = 8
const CASE_TIMEOUT_MS = 300_000

/**
 * Registers with vitest what file systems promise to several processes: 16 of them make 1,000 edits of different lines of
 * one file and all land; of 16 edits of the same text one lands; an edit of a process that is killed, and its replay by
 * another with the same `opId`, are there once.
 */
export function testFilesProcesses(name: string, { program, open }: FilesProcesses): void {
  async function withFiles(
    work: (files: Files, start: (job: FilesJob) => Promise<Worker>) => Promise<void>,
  ): Promise<void> {
    const { files, where, close } = await open()
    const workers: Worker[] = []
    try {
      await work(files, async (job) => {
        const worker = startWorker(program, where, job)
        workers.push(worker)
        expect(await worker.line()).toBe('ready')
        return worker
      })
    } finally {
      for (const worker of workers) worker.kill()
      await close?.()
    }
  }

  const all = Array.from({ length: PROCESSES }, (_, i) => i)

  describe(`${name}: several processes`, () => {
    it(
      `${PROCESSES} of them land ${EDITS} edits of different lines of one file`,
      () =>
        withFiles(async (files, start) => {
          const lines = Array.from({ length: EDITS }, (_, i) => lineOf(i))
          expect(await files.write(SHARED_PATH, lines.join(''))).toMatchObject({ ok: true })
          // Line by line in turn, so that neighbours are edited at the same time.
          const workers = await Promise.all(
            all.map((i) => start(['edit', String(i), String(PROCESSES), String(EDITS)])),
          )
          const landed = (await answers(workers)).map(Number)
          expect(landed.reduce((sum, count) => sum + count)).toBe(EDITS)
          const edited = lines.map((_, i) => editedLineOf(i)).join('')
          expect(await files.read(SHARED_PATH)).toMatchObject({ value: { content: edited } })
        }),
      CASE_TIMEOUT_MS,
    )

    it(
      `of ${PROCESSES} that edit the same text one lands`,
      () =>
        withFiles(async (files, start) => {
          expect(await files.write(SHARED_PATH, 'This seat is free.\n')).toMatchObject({ ok: true })
          const workers = await Promise.all(all.map((i) => start(['claim', `p${i}`])))
          const outcomes = await answers(workers)
          expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(1)
          expect(outcomes.filter((outcome) => outcome === 'no_match')).toHaveLength(PROCESSES - 1)
          const content = `This seat is taken by p${outcomes.indexOf('ok')}.\n`
          expect(await files.read(SHARED_PATH)).toMatchObject({ value: { content } })
        }),
      CASE_TIMEOUT_MS,
    )

    it(
      'an edit of one that is killed, and its replay, are there once',
      () =>
        withFiles(async (files, start) => {
          for (let round = 0; round < ROUNDS; round++) {
            expect(await files.write(SHARED_PATH, END)).toMatchObject({ ok: true })
            const run = `round ${round}`
            const worker = await start(['mark', run])
            worker.go()
            let last = -1
            for (let line = await worker.line(); line !== undefined; line = await worker.line()) {
              last = Number(line)
              // From within the first edit to within a later one.
              if (last === round) worker.kill()
            }
            expect(last).toBeGreaterThanOrEqual(round)
            const replayed = await files.edit(SHARED_PATH, END, markOf(last) + END, { opId: markOpId(run, last) })
            expect(replayed).toMatchObject({ ok: true })
            const marks = Array.from({ length: last + 1 }, (_, i) => markOf(i)).join('')
            expect(await files.read(SHARED_PATH)).toMatchObject({ value: { content: marks + END } })
          }
        }),
      CASE_TIMEOUT_MS,
    )
  })
}

/** A process that is loaded and waits to be told to go, so that all begin together. */
function startWorker(program: URL, where: string, job: FilesJob): Worker {
  const child = spawn(process.execPath, [fileURLToPath(program), where, ...job], { stdio: ['pipe', 'pipe', 'inherit'] })
  // It may be gone before it is told to go.
  child.stdin.on('error', () => {})
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    async line() {
      const next = await lines.next()
      return next.done === true ? undefined : next.value
    },
    go: () => child.stdin.write('go\n'),
    kill: () => child.kill('SIGKILL'),
  }
}

/** What each says when all are told to go. */
async function answers(workers: readonly Worker[]): Promise<(string | undefined)[]> {
  for (const worker of workers) worker.go()
  return Promise.all(workers.map((worker) => worker.line()))
}

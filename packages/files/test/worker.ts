/**
 * A process of its own for tests. `node worker.ts ROOT JOB ...`: JOB is `hold LOCK` (takes a lock and stops there),
 * `rewrite` (writes the file over and over, `a` and `b` in turn), or `die N` (edits the file with the opId `run/call`, and
 * dies before its Nth call of the file system that could change something or look).
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { withFileLock } from '../src/local/file-lock.ts'
import { localFiles } from '../src/local/local-files.ts'

const [root = '', job, argument = ''] = process.argv.slice(2)

process.stdout.write('ready\n')
await new Promise((resolve) => process.stdin.once('data', resolve))

if (job === 'hold') {
  await withFileLock(argument, { id: `holder-${process.pid}` }, () => {
    process.stdout.write('held\n')
    return new Promise(() => setInterval(() => {}, 1000))
  })
} else if (job === 'rewrite') {
  const files = localFiles({ root })
  for (let i = 0; ; i++) {
    await files.write('/a.md', (i % 2 === 0 ? 'a' : 'b').repeat(100_000))
    process.stdout.write('.\n')
  }
} else if (job === 'die') {
  dieBefore(Number(argument))
  const edited = await localFiles({ root }).edit('/a.md', 'end\n', 'one\nend\n', { opId: 'run/call' })
  fs.writeSync(1, `${edited.ok ? 'edited' : edited.code}\n`)
}
process.exit()

/** Counts the calls of the file system, those of open files too, and kills the process before one of them. */
function dieBefore(nth: number): void {
  let calls = 0
  function count<T extends object>(of: T, name: keyof T): void {
    const real = of[name] as (...all: unknown[]) => unknown
    of[name] = function (this: unknown, ...all: unknown[]) {
      if (++calls === nth) process.kill(process.pid, 'SIGKILL')
      return real.apply(this, all)
    } as T[typeof name]
  }
  for (const name of ['access', 'lstat', 'mkdir', 'open', 'realpath', 'rename', 'rm'] as const) count(fs.promises, name)
  for (const name of ['openSync', 'writeSync', 'rmSync'] as const) count(fs, name)
  syncBuiltinESMExports()
  const { open } = fs.promises
  let isCounted = false
  fs.promises.open = async (...all) => {
    const file = await open(...all)
    // One prototype for all.
    const prototype = Object.getPrototypeOf(file) as typeof file
    if (!isCounted)
      for (const name of ['sync', 'writeFile', 'readFile', 'stat', 'close'] as const) count(prototype, name)
    isCounted = true
    return file
  }
  syncBuiltinESMExports()
}

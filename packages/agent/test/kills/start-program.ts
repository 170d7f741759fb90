import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'

/** A worker in a process of its own. */
export interface Program extends AsyncDisposable {
  /** The next line of its output; rejects if it ended before, with what it printed as errors. */
  line(): Promise<string>
  /** Says something to it. */
  say(line: string): void
  signal(name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void
  /** Resolves when it has ended. */
  ended(): Promise<void>
}

export function startProgram(name: string, ...args: readonly string[]): Program {
  const file = fileURLToPath(new URL(`programs/${name}.ts`, import.meta.url))
  const child: ChildProcessByStdio<Writable, Readable, Readable> = spawn(process.execPath, [file, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  // What is said to one that was killed meanwhile is lost.
  child.stdin.on('error', () => {})
  const closed = once(child, 'close')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const program: Program = {
    async line() {
      const next = await lines.next()
      if (next.done !== true) return next.value
      await closed
      throw new Error(`${name} ended: ${errors}`)
    },
    say: (line) => void child.stdin.write(`${line}\n`),
    signal: (signal) => void child.kill(signal),
    async ended() {
      await closed
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await closed
    },
  }
  return program
}

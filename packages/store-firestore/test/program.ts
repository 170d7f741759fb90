import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'

/** A program of `programs/` in a process of its own. */
export interface Program {
  /** Lines of its output, as they come. */
  readonly lines: AsyncIterator<string>
  readonly input: Writable
  /** Ends it as `kill -9` does. */
  kill(): void
  /** Resolves when it has ended; rejects with what it printed as errors if it failed by itself. */
  ended(): Promise<void>
}

export function startProgram(name: string, ...args: readonly (string | number)[]): Program {
  const file = fileURLToPath(new URL(`programs/${name}.ts`, import.meta.url))
  const child: ChildProcessByStdio<Writable, Readable, Readable> = spawn(
    process.execPath,
    [file, ...args.map(String)],
    {
      stdio: ['pipe', 'pipe', 'pipe'],
    },
  )
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  const closed = once(child, 'close')
  return {
    lines: createInterface({ input: child.stdout })[Symbol.asyncIterator](),
    input: child.stdin,
    kill: () => void child.kill('SIGKILL'),
    async ended() {
      const [code, signal] = (await closed) as [number | null, string | null]
      if (code !== 0 && signal !== 'SIGKILL') throw new Error(`${name} ended with ${String(code ?? signal)}: ${errors}`)
    },
  }
}

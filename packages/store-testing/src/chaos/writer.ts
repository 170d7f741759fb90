import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A writer in a process of its own. */
export interface Writer {
  /** Lines of its output, as they come. */
  readonly lines: AsyncIterator<string>
  /** Ends it as `kill -9` does. */
  kill(): void
  /** Resolves when it has ended; rejects with what it printed as errors if it failed by itself. */
  ended(): Promise<void>
}

// The program lies beside this file, in TypeScript or as it was built.
const PROGRAM = fileURLToPath(new URL(import.meta.url.replace(/writer(\.[jt]s)$/, 'chaos-writer$1')))

export function startWriter(...args: readonly (string | number)[]): Writer {
  const child = spawn(process.execPath, [PROGRAM, ...args.map(String)], { stdio: ['ignore', 'pipe', 'pipe'] })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  const closed = once(child, 'close')
  return {
    lines: createInterface({ input: child.stdout })[Symbol.asyncIterator](),
    kill: () => void child.kill('SIGKILL'),
    async ended() {
      const [code, signal] = (await closed) as [number | null, string | null]
      if (code !== 0 && signal !== 'SIGKILL')
        throw new Error(`A writer ended with ${String(code ?? signal)}: ${errors}`)
    },
  }
}

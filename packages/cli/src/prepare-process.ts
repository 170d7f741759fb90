import { EXIT } from './exit-codes.ts'

/** Makes this process behave as a command in a shell. The signal fires on Ctrl-C; a second one ends the process at once. */
export function prepareProcess(): AbortSignal {
  endWithReader(process.stdout)
  endWithReader(process.stderr)
  hideExperimentalWarnings()
  const interruption = new AbortController()
  process.once('SIGINT', () => interruption.abort())
  return interruption.signal
}

/** `keepsake … | head` closes the pipe when it has enough, which is no failure. */
function endWithReader(stream: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT.done)
    throw error
  })
}

/** Node 22 calls its SQLite experimental at every start, which helps nobody who looks at a table. */
function hideExperimentalWarnings(): void {
  const listeners = process.listeners('warning')
  process.removeAllListeners('warning')
  process.on('warning', (warning) => {
    if (warning.name !== 'ExperimentalWarning') for (const listener of listeners) listener(warning)
  })
}

import { EXIT } from './exit-codes.ts'

const HIDDEN = new Set(['ExperimentalWarning', 'MetadataLookupWarning'])

/** Makes this process behave as a command in a shell. The signal fires on Ctrl-C; a second one ends the process at once. */
export function prepareProcess(): AbortSignal {
  endWithReader(process.stdout)
  endWithReader(process.stderr)
  hideWarnings()
  const interruption = new AbortController()
  process.once('SIGINT', () => interruption.abort())
  return interruption.signal
}

/**
 * Ends this process, with `process.exitCode`, once its reader has all that was printed. It would not always end by itself:
 * a client that was given up goes on trying for minutes.
 */
export function endProcess(): void {
  process.stdout.write('', () => process.stderr.write('', () => process.exit()))
}

/** `keepsake … | head` closes the pipe when it has enough, which is no failure. */
function endWithReader(stream: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT.done)
    throw error
  })
}

/**
 * Node 22 calls its SQLite experimental at every start, and Google's clients say that this is no machine of Google's, which
 * helps nobody who looks at a table.
 */
function hideWarnings(): void {
  const listeners = process.listeners('warning')
  process.removeAllListeners('warning')
  process.on('warning', (warning) => {
    if (!HIDDEN.has(warning.name)) for (const listener of listeners) listener(warning)
  })
}

import { CommanderError } from 'commander'
import { EXIT } from './exit-codes.ts'
import { createOutput } from './output.ts'
import { buildProgram } from './program.ts'

export interface MainOptions {
  /** Aborting interrupts the command: exit code 130, or 5 where the same command can go on. */
  signal?: AbortSignal
}

/** The address that is used where neither `--store` nor `KEEPSAKE_STORE` gives one. */
const DEFAULT_STORE = 'sqlite:keepsake.db'

/**
 * Runs one command line of `keepsake`, such as `['provision', '--store', 'sqlite:app.db']`, in this process, and gives the
 * exit code. Writes to the process's standard output and error; never rejects and never ends the process.
 */
export async function main(argv: readonly string[], options: MainOptions = {}): Promise<number> {
  const { signal = new AbortController().signal } = options
  // Read by hand, so that what is wrong with the command line itself is told in the form that was asked for.
  const flags = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv
  const json = flags.includes('--json')
  let givenStore: string | undefined
  const program = buildProgram(json, ({ store, json: asJson = false }) => {
    givenStore = store
    const storeUri = store ?? (process.env['KEEPSAKE_STORE'] || DEFAULT_STORE)
    return {
      storeUri,
      out: createOutput(asJson, process.stdout, process.stderr),
      signal,
      async openStore(how) {
        const { storeForCommand } = await import('./store-for-command.ts')
        return await storeForCommand(how?.uri ?? storeUri, signal, how)
      },
    }
  })
  try {
    await program.parseAsync(argv, { from: 'user' })
    return EXIT.done
  } catch (error) {
    // Help and version, when asked for, end this way too.
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.done
    const { reportFailure } = await import('./report-failure.ts')
    const verbose = flags.includes('--verbose')
    return reportFailure(error, { json, verbose, storeUri: givenStore, stderr: process.stderr })
  }
}

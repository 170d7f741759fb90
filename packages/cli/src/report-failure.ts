import { styleText } from 'node:util'
import { KeepsakeError } from '@keepsake/core'
import { CommanderError } from 'commander'
import { CliError } from './cli-error.ts'
import { EXIT } from './exit-codes.ts'
import { jsonLine, safeBlock } from './safe-text.ts'
import { adviseStore } from './store-advice.ts'

interface Failure {
  code: string
  exitCode: number
  message: string
  details: unknown
}

export interface ReportOptions {
  json: boolean
  /** Adds the stack and the causes. */
  verbose: boolean
  /** The address that the command line had, so that advice names it too. */
  storeUri: string | undefined
  stderr: NodeJS.WriteStream
}

/** Tells what went wrong on standard error, and gives the exit code. */
export function reportFailure(error: unknown, { json, verbose, storeUri, stderr }: ReportOptions): number {
  const { code, exitCode, details, ...failure } = describe(error)
  const message = adviseStore(failure.message, storeUri)
  if (json) {
    const stack = verbose ? { stack: stackOf(error) } : {}
    stderr.write(jsonLine({ error: { code, message, details, ...stack } }) + '\n')
    return exitCode
  }
  // Commander has shown the help by now.
  if (error instanceof CommanderError && error.code === 'commander.help') return exitCode
  const name = styleText('red', 'keepsake:', { stream: stderr })
  stderr.write(`${name} ${safeBlock(message)}\n`)
  if (verbose) stderr.write(`${safeBlock(stackOf(error))}\n`)
  return exitCode
}

function describe(error: unknown): Failure {
  if (error instanceof CommanderError) {
    return { code: 'usage', exitCode: EXIT.usage, message: usageMessage(error), details: {} }
  }
  if (error instanceof CliError)
    return { code: error.code, exitCode: error.exitCode, message: error.message, details: {} }
  if (KeepsakeError.isInstance(error, 'aborted')) {
    return { code: error.code, exitCode: EXIT.interrupted, message: 'Interrupted.', details: {} }
  }
  if (KeepsakeError.isInstance(error)) {
    return { code: error.code, exitCode: exitCodeOf(error.code), message: error.message, details: error.details }
  }
  const message = error instanceof Error ? error.message : String(error)
  return { code: 'failed', exitCode: EXIT.failed, message, details: {} }
}

function exitCodeOf(code: string): number {
  switch (code) {
    // Entities, keys, owners and ids come from the command line. A value may also be one that is stored: commands turn
    // what the command line had into usage errors themselves.
    case 'invalid_key':
      return EXIT.usage
    case 'not_provisioned':
      return EXIT.notProvisioned
    default:
      return EXIT.failed
  }
}

function usageMessage(error: CommanderError): string {
  if (error.code === 'commander.help') return 'Say which command. See them all with: keepsake --help'
  const text = error.message.replace(/^error: /, '')
  const message = text.charAt(0).toUpperCase() + text.slice(1)
  const isSilent = error.code === 'commander.missingArgument' || error.code === 'commander.unknownCommand'
  return isSilent && !message.includes('Did you mean') ? `${message}. Try --help.` : message
}

function stackOf(error: unknown): string {
  const parts: string[] = []
  for (let at = error; at instanceof Error; at = at.cause) parts.push(at.stack ?? String(at))
  return parts.join('\nCaused by: ')
}

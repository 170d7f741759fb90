import { KeepsakeError } from '@keepsake/core'
import { EXIT } from './exit-codes.ts'

export type CliErrorCode = 'usage' | 'not_found' | 'interrupted' | 'failed'

const EXIT_CODES: Readonly<Record<CliErrorCode, number>> = {
  usage: EXIT.usage,
  not_found: EXIT.notFound,
  interrupted: EXIT.resumable,
  failed: EXIT.failed,
}

/** A failure that the command itself found. Its message is written for the person at the terminal. */
export class CliError extends Error {
  readonly code: CliErrorCode
  readonly exitCode: number

  constructor(code: CliErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'CliError'
    this.code = code
    this.exitCode = EXIT_CODES[code]
  }
}

export function usageError(message: string, options?: ErrorOptions): CliError {
  return new CliError('usage', message, options)
}

export function notFoundError(message: string): CliError {
  return new CliError('not_found', message)
}

/** What core refuses in a value of the command line, as a usage error; other errors stay what they are. */
export function toUsageError(error: unknown): unknown {
  if (!KeepsakeError.isInstance(error, 'invalid_value') && !KeepsakeError.isInstance(error, 'invalid_key')) return error
  return usageError(error.message, { cause: error })
}

/** Runs what checks a value of the command line. Must not be asynchronous: listings would be read by awaiting them. */
export function asUsage<T>(check: () => T): T {
  try {
    return check()
  } catch (error) {
    throw toUsageError(error)
  }
}

import { KeepsakeError } from '@keepsake/core'
import { Violation } from './violation.ts'

/** Throws what a caller need not expect of an engine, not even of one whose store fails. */
export function expectError(error: unknown): void {
  if (!KeepsakeError.isInstance(error)) throw error
  // What is retried or abandoned may have been done meanwhile.
  if (error.retryable || error.code === 'conflict' || error.message.startsWith('There is no dead letter')) return
  throw new Violation('error', `${error.code}: ${error.message}`)
}

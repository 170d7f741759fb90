import { describeType, KeepsakeError } from '@keepsake/core'

/** The error for a value that cannot be used: which, what it must be, and what it is; never its content. */
export function mustBe(what: string, wanted: string, value: unknown): KeepsakeError {
  return new KeepsakeError('invalid_value', `${what} must be ${wanted}; it is ${describeType(value)}.`)
}

import { describeType, KeepsakeError } from '@keepsake/core'

/** The error for a value that cannot be used: which, what it must be, and what it is; never its content. */
export function refuse(name: string, mustBe: string, value: unknown): KeepsakeError {
  const found = value === '' || (Array.isArray(value) && value.length === 0) ? 'empty' : describeType(value)
  return new KeepsakeError('invalid_value', `${name} must be ${mustBe}; it is ${found}.`)
}

/** Throws for a name that is not known: a misspelt option must not be an option that is silently off. */
export function checkNames(what: string, value: object, known: readonly string[]): void {
  for (const name of Object.keys(value)) {
    if (known.includes(name)) continue
    throw new KeepsakeError('invalid_value', `${what}: there is no option "${name}". There are ${known.join(', ')}.`)
  }
}

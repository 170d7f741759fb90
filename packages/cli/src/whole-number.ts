import { InvalidArgumentError } from 'commander'

/** Reads the value of an option such as `--limit`: a whole number from `min`. */
export function wholeNumber(min: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
    if (!Number.isSafeInteger(value) || value < min) {
      throw new InvalidArgumentError(`It must be a whole number from ${min}.`)
    }
    return value
  }
}

import { KeepsakeError } from '../errors.ts'
import { describeType } from '../rows/keys.ts'
import type { VectorSpace } from './search-index.ts'

/** A vector of length 1, so that a product is a cosine; one of zeros stays, and is like nothing. */
export type UnitVector = Float32Array

/** Throws `invalid_value` unless these are `dims` finite numbers. */
export function checkVector(vector: unknown, { model, dims }: VectorSpace, what: string): readonly number[] {
  const numbers = vector as readonly number[]
  if (!Array.isArray(vector) && !(vector instanceof Float32Array))
    throw invalid(`${what} must be a list of numbers; it is ${describeType(vector)}.`)
  if (numbers.length !== dims)
    throw invalid(
      `${what} has ${numbers.length} numbers; vectors of ${model} have ${dims} here. Check dims and the model.`,
    )
  if (!numbers.every((number) => Number.isFinite(number))) throw invalid(`${what} holds a number that is not finite.`)
  return numbers
}

export function unitVector(numbers: readonly number[]): UnitVector {
  const length = Math.hypot(...numbers)
  return Float32Array.from(numbers, (number) => (length === 0 ? 0 : number / length))
}

export function cosine(a: UnitVector, b: UnitVector): number {
  let sum = 0
  for (let n = 0; n < a.length; n++) sum += a[n]! * b[n]!
  return sum
}

/** Unrelated texts that are taken to be there as well: of very few, the mean says little. */
const UNRELATED = 10

/** The cosine of texts that have nothing to do with each other, from the sum over all that there are. */
export function unrelatedCosine(sum: number, count: number): number {
  return Math.max(0, sum / (count + UNRELATED))
}

/**
 * What a cosine is worth, 0 to 1: where it lies between that of unrelated texts and a perfect match. Models differ in how
 * alike unrelated texts are to them; and vectors that say nothing stay near 0.
 */
export function vectorScore(similarity: number, unrelated: number): number {
  return unrelated >= 1 ? 0 : Math.max(0, (similarity - unrelated) / (1 - unrelated))
}

/** Throws `invalid_value` if an index holds vectors of another space. */
export function checkSpace(stored: VectorSpace, given: VectorSpace): void {
  if (stored.model === given.model && stored.dims === given.dims) return
  throw new KeepsakeError(
    'invalid_value',
    `The index holds vectors of ${stored.model} with ${stored.dims} numbers; these are of ${given.model} with ${given.dims}. Go back to that model, or empty the index with reset() and index everything again.`,
    { details: { stored: { ...stored }, given: { ...given } } },
  )
}

function invalid(message: string): KeepsakeError {
  return new KeepsakeError('invalid_value', message)
}

/**
 * The first unit of a window: the largest run of newest units whose weights are at most `budget`, but never less than the
 * newest. Counted from the beginning in strides of `step`, so that the same units are cut at the same place until the
 * window has grown by a stride.
 */
export function firstOfNewest(weights: readonly number[], budget: number, step: number): number {
  let total = 0
  for (const weight of weights) total += weight
  const cut = Math.ceil(Math.max(0, total - budget) / step) * step
  let first = 0
  for (let start = 0; start < cut && first < weights.length - 1; first++) start += weights[first]!
  return first
}

/** How many of the oldest units weigh at most `budget` together, but never none. */
export function countOfOldest(weights: readonly number[], budget: number): number {
  let total = 0
  let count = 0
  while (count < weights.length && (count === 0 || total + weights[count]! <= budget)) total += weights[count++]!
  return count
}

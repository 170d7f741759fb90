/** Items in parts of at most `size`. */
export function batches<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size))
}

/** The items at `places`, in that order. */
export function pick<T>(items: readonly T[], places: readonly number[]): T[] {
  return places.map((place) => items[place]!)
}

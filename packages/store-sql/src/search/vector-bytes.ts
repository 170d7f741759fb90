/** Vectors of one document one after the other, as 32-bit floats in the order of bytes of the machine, which is little-endian. */
export function vectorBytes(vectors: readonly (readonly number[])[]): Uint8Array | null {
  if (vectors.length === 0) return null
  const units = Float32Array.from(vectors.flatMap(unit))
  return new Uint8Array(units.buffer)
}

/** The greatest cosine of a query's vector with those of a document. */
export function nearest(query: Float32Array, bytes: Uint8Array): number {
  const dims = query.length
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice()
  const numbers = new Float32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 4)
  let most = -1
  for (let from = 0; from < numbers.length; from += dims) {
    let sum = 0
    for (let n = 0; n < dims; n++) sum += query[n]! * numbers[from + n]!
    if (sum > most) most = sum
  }
  return most
}

/** The same direction with length 1. Zeros stay. */
export function unit(numbers: readonly number[]): number[] {
  const length = Math.hypot(...numbers)
  return numbers.map((number) => (length === 0 ? 0 : number / length))
}

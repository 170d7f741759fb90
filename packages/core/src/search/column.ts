/** A column of whole numbers that grows: four bytes each. */
export interface Column {
  /** Room for more than `length` numbers. Replaced when it grows, so take it anew for every use. */
  values: Int32Array
  length: number
}

export function createColumn(): Column {
  return { values: new Int32Array(16), length: 0 }
}

/** Adds a number at the end. */
export function push(column: Column, value: number): void {
  if (column.length === column.values.length) {
    const larger = new Int32Array(column.length * 2)
    larger.set(column.values)
    column.values = larger
  }
  column.values[column.length++] = value
}

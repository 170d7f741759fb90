import type { Column } from './column.ts'

/** Keeps of a column what has a new place: `places` says where each goes, -1 for nowhere, in growing order. */
export function keep(column: Column, places: Int32Array): void {
  let length = 0
  for (let from = 0; from < column.length; from++) {
    if (places[from]! >= 0) column.values[length++] = column.values[from]!
  }
  column.length = length
}

/** Replaces numbers of rows by those of their new places; -1 stays. */
export function renumber(column: Column, places: Int32Array): void {
  for (let at = 0; at < column.length; at++) {
    const value = column.values[at]!
    if (value >= 0) column.values[at] = places[value]!
  }
}

/** The new places of rows when those that are gone leave no gap. */
export function placesOf(length: number, stays: (row: number) => boolean): Int32Array {
  const places = new Int32Array(length)
  let next = 0
  for (let row = 0; row < length; row++) places[row] = stays(row) ? next++ : -1
  return places
}

/** One line of the table that a benchmark prints. */
export interface Line {
  what: string
  /** What it is compared with, and what that takes. */
  base: string
  ours: string
  /** Of ours to base. Left out where there is nothing to compare with. */
  ratio?: number
  /** The largest ratio that is good enough. Left out: the line only informs. */
  goal?: number
}

/** A benchmark, by the name that `bench.ts` takes. */
export type Bench = () => Promise<Line[]>

export function holds({ ratio, goal }: Line): boolean {
  return ratio === undefined || goal === undefined || ratio <= goal
}

export function micros(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 1)} µs`
}

/** The lines as a table in plain text. */
export function formatLines(lines: readonly Line[]): string {
  const rows = lines.map((line) => [
    line.what,
    line.base,
    line.ours,
    line.ratio?.toFixed(2) ?? '',
    line.goal === undefined ? '' : `${holds(line) ? 'within' : 'ABOVE'} ${line.goal}`,
  ])
  const table = [['', 'base', 'ours', 'ratio', 'goal'], ...rows]
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)))
  return table
    .map((row) =>
      row
        .map((cell, column) =>
          column === 0 || column === 4 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

import { fitWidth, textWidth } from './text-width.ts'

export interface Column {
  title: string
  align?: 'left' | 'right'
  /** May be cut with `…` where the terminal is too narrow; the others never are. */
  flexible?: boolean
}

export interface TableOptions {
  /** Columns of the terminal; left out where output goes elsewhere, and nothing is cut. */
  width?: number | undefined
  /** Colours the line of titles. */
  styleTitle?: (text: string) => string
}

const GAP = '  '
const NARROWEST = 8

/**
 * Lines of a table whose columns are aligned. Cells are single lines, already safe to show. A column that is empty in
 * every row is left out.
 */
export function formatTable(
  allColumns: readonly Column[],
  allRows: readonly (readonly string[])[],
  options: TableOptions = {},
): string[] {
  const used = allColumns.map((_, i) => allRows.some((row) => row[i] !== ''))
  const columns = allColumns.filter((_, i) => used[i])
  const rows = allRows.map((row) => row.filter((_, i) => used[i]))
  const widths = columns.map((column, i) =>
    Math.max(textWidth(column.title), ...rows.map((row) => textWidth(row[i] ?? ''))),
  )
  if (options.width !== undefined) shrink(columns, widths, options.width)
  const line = (cells: readonly string[]): string =>
    columns
      .map((column, i) => pad(fitWidth(cells[i] ?? '', widths[i]!), widths[i]!, column.align))
      .join(GAP)
      .trimEnd()
  const style = options.styleTitle ?? ((text: string) => text)
  return [style(line(columns.map((column) => column.title))), ...rows.map((row) => line(row))]
}

/** Takes what is over the width from the widest flexible column, again and again. */
function shrink(columns: readonly Column[], widths: number[], width: number): void {
  let excess = widths.reduce((sum, one) => sum + one, 0) + GAP.length * (columns.length - 1) - width
  while (excess > 0) {
    let widest = -1
    for (const [i, column] of columns.entries()) {
      if (column.flexible && widths[i]! > NARROWEST && (widest < 0 || widths[i]! > widths[widest]!)) widest = i
    }
    if (widest < 0) return
    widths[widest]!--
    excess--
  }
}

function pad(text: string, width: number, align: Column['align'] = 'left'): string {
  const space = ' '.repeat(Math.max(0, width - textWidth(text)))
  return align === 'right' ? space + text : text + space
}

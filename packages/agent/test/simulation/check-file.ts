import { linesOf, type RowView } from './layout.ts'
import { Violation } from './violation.ts'

/** A line of a memory file comes once, and stays. */
export function checkFile(content: string, before: RowView | undefined): void {
  const lines = linesOf(content)
  if (new Set(lines).size !== lines.length) throw new Violation('edit', `an edit was made twice: ${lines.join(' ')}`)
  const gone =
    before !== undefined && 'content' in before && linesOf(before.content).some((line) => !lines.includes(line))
  if (gone) throw new Violation('edit', `an edit was lost: ${lines.join(' ')}`)
}

/** A line of Markdown, read from left to right by columns: a tab goes on to the next multiple of four. */
export interface MarkdownLine {
  /** How many columns of white space come next. */
  indent(): number
  /** Where the first character that is no white space is, in the whole text. */
  textStart(): number
  /** What is left from there on; empty for a line that is blank. */
  rest(): string
  /** Takes columns of white space, at most as many as there are. */
  skipIndent(columns: number): void
  /** Takes all white space, and this many characters after it. */
  skipText(length: number): void
}

export function markdownLine(text: string, start: number, end: number): MarkdownLine {
  let at = start
  let column = 0
  /** Of a tab that was taken in part. */
  let columnsLeft = 0

  const isSpace = (index: number): boolean => index < end && (text[index] === ' ' || text[index] === '\t')
  const width = (index: number, from: number): number => (text[index] === '\t' ? 4 - (from % 4) : 1)

  function afterSpace(): { index: number; reached: number } {
    let [index, reached] = [at, column]
    for (; isSpace(index); index++) reached += width(index, reached)
    return { index, reached }
  }

  return {
    indent: () => columnsLeft + afterSpace().reached - column,
    textStart: () => afterSpace().index,
    rest: () => text.slice(afterSpace().index, end),
    skipIndent(columns) {
      for (let left = columns; left > 0; left--) {
        if (columnsLeft === 0) {
          if (!isSpace(at)) return
          columnsLeft = width(at, column)
          column += columnsLeft
          at++
        }
        columnsLeft--
      }
    },
    skipText(length) {
      const { index, reached } = afterSpace()
      at = index + length
      column = reached + length
      columnsLeft = 0
    },
  }
}

/** A part of a text: its first character, and the one after its last. */
export interface Range {
  start: number
  end: number
}

/**
 * The comments in a paragraph or heading, given the parts of the text that are its lines: none in a code span, and none
 * whose `<` is escaped. Each run of backticks and each `-->` is looked for once, so the work is linear.
 */
export function inlineComments(text: string, lines: readonly Range[]): Range[] {
  const content = lines.map(({ start, end }) => text.slice(start, end)).join('\n')
  if (!content.includes('<!--')) return []
  const found: Range[] = []
  const inText = positions(lines)
  const closing = closingRuns(content)
  const marks = /\\[\\`<]?|`+|<!--/g
  for (let mark = marks.exec(content); mark !== null; mark = marks.exec(content)) {
    if (mark[0].startsWith('`')) marks.lastIndex = closing(mark[0].length, marks.lastIndex)
    if (mark[0] !== '<!--') continue
    const end = commentEnd(content, mark.index)
    if (end === undefined) break
    found.push({ start: inText(mark.index), end: inText(end - 1) + 1 })
    marks.lastIndex = end
  }
  return found
}

/** The comments in a part of a text that is HTML. */
export function htmlComments(text: string, { start, end }: Range): Range[] {
  const html = text.slice(start, end)
  const found: Range[] = []
  for (let at = html.indexOf('<!--'); at !== -1;) {
    const close = commentEnd(html, at)
    if (close === undefined) break
    found.push({ start: start + at, end: start + close })
    at = html.indexOf('<!--', close)
  }
  return found
}

/** Where a comment ends (https://spec.commonmark.org/0.31.2/#html-comment): `<!-->` and `<!--->` are whole. */
function commentEnd(text: string, start: number): number | undefined {
  // The end may share its dashes with the beginning.
  const close = text.indexOf('-->', start + 2)
  return close === -1 ? undefined : close + 3
}

/** Tells where the code span ends that a run of backticks opens: after the next run of its length, else after itself. */
function closingRuns(content: string): (length: number, from: number) => number {
  const runs = new Map<number, number[]>()
  for (const { 0: run, index } of content.matchAll(/`+/g)) {
    const starts = runs.get(run.length)
    if (starts === undefined) runs.set(run.length, [index])
    else starts.push(index)
  }
  // They are asked for in ascending order, and taken from the end.
  for (const starts of runs.values()) starts.reverse()
  return (length, from) => {
    const starts = runs.get(length) ?? []
    while (starts.length > 0 && starts.at(-1)! < from) starts.pop()
    return starts.length === 0 ? from : starts.at(-1)! + length
  }
}

/** Where a position of the joined lines is in the text, for positions that are asked in ascending order. */
function positions(lines: readonly Range[]): (position: number) => number {
  let line = 0
  let lineStart = 0
  return (position) => {
    for (;;) {
      const { start, end } = lines[line]!
      if (position <= lineStart + end - start) return start + position - lineStart
      lineStart += end - start + 1
      line++
    }
  }
}

import type { Nodes } from 'mdast'

interface Range {
  start: number
  end: number
}

/** What the parser of remark says, which takes time and stack without bound: only for small texts. */
export async function stripWithRemark(markdown: string): Promise<string> {
  if (!markdown.includes('<!--')) return markdown
  const [{ unified }, { default: remarkParse }] = await Promise.all([import('unified'), import('remark-parse')])
  const found: Range[] = []
  // Emphasis takes the parser quadratic time (50 kB of `*a_ `: 17 s) and has no say in what is HTML or code.
  const withoutEmphasis = [{ disable: { null: ['attention'] } }]
  const parser = unified().data('micromarkExtensions', withoutEmphasis).use(remarkParse)
  collect(parser.parse(markdown), markdown, found)
  return cut(markdown, joined(found, markdown))
}

function collect(node: Nodes, markdown: string, found: Range[]): void {
  if (node.type === 'html') {
    found.push(...comments(markdown, node.position!.start.offset!, node.position!.end.offset!))
  }
  if ('children' in node) for (const child of node.children) collect(child, markdown, found)
}

/** Comments as CommonMark has them (https://spec.commonmark.org/0.31.2/#html-comment): `<!-->` and `<!--->` are whole. */
function comments(markdown: string, from: number, to: number): Range[] {
  const found: Range[] = []
  let start = markdown.indexOf('<!--', from)
  while (start !== -1 && start < to) {
    // The end may share its dashes with the beginning.
    const close = markdown.indexOf('-->', start + 2)
    if (close === -1 || close + 3 > to) break
    found.push({ start, end: close + 3 })
    start = markdown.indexOf('<!--', close + 3)
  }
  return found
}

/** Comments with nothing but spaces between them are one. */
function joined(ranges: readonly Range[], markdown: string): Range[] {
  const all: Range[] = []
  for (const { start, end } of ranges) {
    const last = all.at(-1)
    if (last !== undefined && /^[ \t]*$/.test(markdown.slice(last.end, start))) last.end = end
    else all.push({ start, end })
  }
  return all
}

function cut(markdown: string, ranges: readonly Range[]): string {
  let left = ''
  let kept = 0
  for (const { start, end } of ranges) {
    const lineStart = markdown.lastIndexOf('\n', start - 1) + 1
    const lineEnd = markdown.indexOf('\n', end)
    const before = markdown.slice(Math.max(kept, lineStart), start)
    const after = markdown.slice(end, lineEnd === -1 ? undefined : lineEnd)
    if (before.trim() === '' && kept <= lineStart && after.trim() === '') {
      left += markdown.slice(kept, lineStart)
      kept = lineEnd === -1 ? markdown.length : lineEnd + 1
      if (left === '' || left.endsWith('\n\n')) kept += blankLines(markdown.slice(kept))
    } else {
      // Spaces at the end of a line would be left to mean a line break.
      left += after.trim() === '' ? markdown.slice(kept, start).trimEnd() : markdown.slice(kept, start)
      kept = end
    }
  }
  return left + markdown.slice(kept)
}

/** The length of the blank lines that a text begins with. */
function blankLines(text: string): number {
  return /^(?:[ \t]*\n)*/.exec(text)![0].length
}

import { htmlComments, inlineComments, type Range } from './inline-comments.ts'
import { markdownLine, type MarkdownLine } from './markdown-line.ts'

type Container = { type: 'quote' } | { type: 'item'; indent: number; isEmpty: boolean }

/** What lines add to until it is closed. */
type Leaf =
  | { type: 'paragraph'; lines: Range[] }
  | { type: 'fence'; mark: string }
  | { type: 'html'; range: Range; last: RegExp | 'blank' }

/** What is nested deeper is text: this bounds the work for a line. */
const MAX_DEPTH = 32
/** A longer tag is text, for the same reason. */
const MAX_TAG_LENGTH = 1000

const FENCE = /^(?:(`{3,})[^`]*|(~{3,})[^]*)$/
const HEADING = /^#{1,6}(?=[ \t]|$)/
const UNDERLINE = /^(?:=+|-+)[ \t]*$/
const ITEM = /^(?:[*+-]|(\d{1,9})[.)])(?=[ \t]|$)/

// https://spec.commonmark.org/0.31.2/#html-blocks, in its order: how a block begins, and what ends it.
const HTML_BLOCKS: readonly (readonly [first: RegExp, last: RegExp | 'blank'])[] = [
  [/^<(?:pre|script|style|textarea)(?=[\s>]|$)/i, /<\/(?:pre|script|style|textarea)>/i],
  [/^<!--/, /-->/],
  [/^<\?/, /\?>/],
  [/^<![a-z]/i, />/],
  [/^<!\[CDATA\[/, /\]\]>/],
  [
    /^<\/?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)(?=[\s>]|\/>|$)/i,
    'blank',
  ],
]
/** Any other tag, alone on its line. It does not interrupt a paragraph. */
const LONE_TAG =
  /^(?:<[a-z][a-z\d-]*(?:\s+[a-z_:][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)*\s*\/?>|<\/[a-z][a-z\d-]*\s*>)\s*$/i

/**
 * The HTML comments of a Markdown text where CommonMark sees HTML, in order: none in fenced, indented or inline code, and
 * none that is never closed. This is a block parser and no more; its work is proportional to the text, whatever that is.
 *
 * Within a line, no links, tags and declarations are looked for: a backtick in one can make code of what follows, and a
 * comment there is kept.
 */
export function findComments(text: string): Range[] {
  const found: Range[][] = []
  const open: Container[] = []
  let leaf: Leaf | undefined

  function closeLeaf(): void {
    if (leaf?.type === 'paragraph') found.push(inlineComments(text, leaf.lines))
    if (leaf?.type === 'html') found.push(htmlComments(text, leaf.range))
    leaf = undefined
  }

  /** Whether the line belongs to a block that takes lines as they are. */
  function isTaken(line: MarkdownLine, end: number): boolean {
    const rest = line.rest()
    if (leaf?.type === 'fence') {
      if (line.indent() < 4 && closesFence(rest, leaf.mark)) leaf = undefined
      return true
    }
    if (leaf?.type !== 'html') return false
    if (leaf.last === 'blank' && rest === '') return false
    leaf.range.end = end
    if (leaf.last !== 'blank' && leaf.last.test(rest)) closeLeaf()
    return true
  }

  function addLine({ start, end }: Range): void {
    const line = markdownLine(text, start, end)
    const matched = matchContainers(open, line)
    const isInside = matched === open.length
    if (isInside && isTaken(line, end)) return

    /** The paragraph that the line goes on in unless something begins, even where the marks of containers are left out. */
    let paragraph = leaf?.type === 'paragraph' ? leaf : undefined
    let hasBegun = false
    function begin(next?: Leaf): void {
      if (!hasBegun) {
        closeLeaf()
        open.length = matched
      }
      hasBegun = true
      paragraph = undefined
      leaf = next
    }

    for (;;) {
      const rest = line.rest()
      const range: Range = { start: line.textStart(), end }
      const indent = line.indent()
      const canNest = (hasBegun ? open.length : matched) < MAX_DEPTH
      // A blank line, or indented code.
      if (rest === '' || (indent >= 4 && paragraph === undefined)) return begin()
      if (indent < 4) {
        if (rest.startsWith('>') && canNest) {
          begin()
          open.push({ type: 'quote' })
          line.skipText(1)
          line.skipIndent(1)
          continue
        }
        const fence = FENCE.exec(rest)
        if (fence !== null) return begin({ type: 'fence', mark: (fence[1] ?? fence[2])! })
        if (HEADING.test(rest)) {
          begin()
          found.push(inlineComments(text, [range]))
          return
        }
        const last = htmlEnd(rest, paragraph !== undefined)
        if (last !== undefined) {
          begin({ type: 'html', range, last })
          if (last !== 'blank' && last.test(rest)) closeLeaf()
          return
        }
        if (paragraph !== undefined && isInside && UNDERLINE.test(rest)) return begin()
        if (isBreak(rest)) return begin()
        const item = ITEM.exec(rest)
        const interrupts = paragraph !== undefined && isInside
        if (item !== null && canNest && !(interrupts && isUnlikely(item, rest))) {
          begin()
          line.skipText(item[0].length)
          const isEmpty = line.rest() === ''
          const space = isEmpty || line.indent() > 4 ? 1 : line.indent()
          line.skipIndent(space)
          open.push({ type: 'item', indent: indent + item[0].length + space, isEmpty })
          continue
        }
      }
      if (paragraph === undefined) begin({ type: 'paragraph', lines: [range] })
      else paragraph.lines.push(range)
      return
    }
  }

  for (const line of lines(text)) addLine(line)
  closeLeaf()
  return found.flat()
}

function* lines(text: string): Generator<Range> {
  let start = 0
  for (const { 0: ending, index } of text.matchAll(/\r\n?|\n/g)) {
    yield { start, end: index }
    start = index + ending.length
  }
  yield { start, end: text.length }
}

/** How many of the open containers the line is in. Takes their marks from it. */
function matchContainers(open: readonly Container[], line: MarkdownLine): number {
  for (const [index, container] of open.entries()) {
    const rest = line.rest()
    if (container.type === 'quote') {
      if (line.indent() >= 4 || !rest.startsWith('>')) return index
      line.skipText(1)
      line.skipIndent(1)
    } else if (rest === '') {
      // An item may begin with one blank line, and not with two.
      if (container.isEmpty) return index
    } else {
      if (line.indent() < container.indent) return index
      line.skipIndent(container.indent)
      container.isEmpty = false
    }
  }
  return open.length
}

function closesFence(rest: string, mark: string): boolean {
  let length = 0
  while (rest[length] === mark[0]) length++
  return length >= mark.length && /^[ \t]*$/.test(rest.slice(length))
}

function htmlEnd(rest: string, inParagraph: boolean): RegExp | 'blank' | undefined {
  if (!rest.startsWith('<')) return undefined
  for (const [first, last] of HTML_BLOCKS) if (first.test(rest)) return last
  return !inParagraph && rest.length <= MAX_TAG_LENGTH && LONE_TAG.test(rest) ? 'blank' : undefined
}

/** Three or more of `*`, `-` or `_`, and nothing else. */
function isBreak(rest: string): boolean {
  const mark = rest[0]!
  if (!'*-_'.includes(mark)) return false
  let marks = 0
  for (const character of rest) {
    if (character === mark) marks++
    else if (character !== ' ' && character !== '\t') return false
  }
  return marks >= 3
}

/** A line of a paragraph may happen to begin with a number or a dash: such an item does not interrupt it. */
function isUnlikely([mark, number]: RegExpExecArray, rest: string): boolean {
  return (number !== undefined && Number(number) !== 1) || /^[ \t]*$/.test(rest.slice(mark.length))
}

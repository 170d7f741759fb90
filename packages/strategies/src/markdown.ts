/**
 * Documents as memories: cut at their headings, with where each passage is from. An entry of its own: it needs the peers
 * `unified` and `remark-parse`.
 *
 * @module
 */
import { describeType, KeepsakeError, type CallOptions, type Key, type Records } from '@keepsake/core'
import remarkParse from 'remark-parse'
import { unified } from 'unified'
import { checkCount } from './check-count.ts'
import { contentId } from './content-id.ts'

/** A passage of a document. */
export interface Passage {
  /** The text as it stands there, without its heading. */
  content: string
  /** The headings above it, outermost first, as plain text. Empty for what stands before the first. */
  headings: string[]
  /** Where it begins in the document, in lines from 1. */
  line: number
}

export interface CutOptions {
  /** A section that is longer is cut between its blocks (paragraphs, lists, code), and a block only where it is longer by itself. Default 2,000 characters. */
  maxCharacters?: number
}

/** A passage as it is stored: `content` and `headings` are searched. */
export interface StoredPassage extends Passage {
  /** Where the document is, as it was given. */
  source: string
  /** Passages of a document stand beside each other: neighbours help to find one. */
  session: string
  position: number
}

const MAX_CHARACTERS = 2_000

/**
 * A Markdown document in passages: one for each section that says something, cut at every heading. Markdown is read by
 * remark (CommonMark), so a `#` in a code block is no heading, and nothing is rewritten: every passage stands in the document
 * as it is. Linear in the length of the document.
 */
export function cutMarkdown(text: string, options: CutOptions = {}): Passage[] {
  const { maxCharacters = MAX_CHARACTERS } = options
  if (typeof text !== 'string') {
    throw new KeepsakeError('invalid_value', `cutMarkdown: the document must be a text; it is ${describeType(text)}.`)
  }
  checkCount('cutMarkdown: maxCharacters', maxCharacters, 1, Number.MAX_SAFE_INTEGER)
  const passages: Passage[] = []
  const path: { depth: number; title: string }[] = []
  let open: { from: number; to: number; line: number } | undefined

  function close(): void {
    if (open === undefined) return
    const headings = path.map(({ title }) => title)
    let { from: start, line } = open
    const { to } = open
    open = undefined
    while (start < to) {
      const end = wholeCharacter(text, Math.min(start + maxCharacters, to), start)
      const content = text.slice(start, end)
      if (content.trim() !== '') passages.push({ content, headings, line })
      line += content.split('\n').length - 1
      start = end
    }
  }

  const { children } = unified().use(remarkParse).parse(text)
  for (const node of children) {
    const from = node.position!.start.offset!
    const to = node.position!.end.offset!
    if (node.type === 'heading') {
      close()
      while (path.length > 0 && path.at(-1)!.depth >= node.depth) path.pop()
      path.push({ depth: node.depth, title: plainText(node) })
    } else if (open !== undefined && to - open.from <= maxCharacters) open.to = to
    else {
      close()
      open = { from, to, line: node.position!.start.line }
    }
  }
  close()
  return passages
}

/** Not between the halves of a character, but always after `start`. */
function wholeCharacter(text: string, end: number, start: number): number {
  const unit = text.charCodeAt(end)
  return unit >= 0xdc00 && unit <= 0xdfff && end - 1 > start ? end - 1 : end
}

function plainText(node: { value?: unknown; alt?: unknown; children?: readonly unknown[] }): string {
  if (typeof node.value === 'string') return node.value
  if (node.children === undefined) return typeof node.alt === 'string' ? node.alt : ''
  return node.children.map((child) => plainText(child as typeof node)).join('')
}

/**
 * Stores a document's passages below `[...prefix, source]` (prefix default `['documents']`), found by the records' index.
 * What an older version of the document had and this one has not is removed. Gives how many passages there are.
 *
 * Passages are stored under what they say, so one that has not changed is not written again and keeps its vectors.
 *
 * ```ts
 * const known = records(store, 'org', { index: inProcessIndex() })
 * await storeMarkdown(known, 'handbook/travel.md', text)
 * const { items } = await known.search(['documents'], 'Who pays for the hotel?')
 * ```
 */
export async function storeMarkdown(
  // oxlint-disable-next-line typescript/no-explicit-any -- values of any shape may lie beside them
  records: Records<any>,
  source: string,
  text: string,
  options: CutOptions & CallOptions & { prefix?: Key } = {},
): Promise<number> {
  const { prefix = ['documents'], signal } = options
  if (typeof source !== 'string' || source === '')
    throw new KeepsakeError('invalid_value', 'storeMarkdown: source must say where the document is, such as its path.')
  const passages = cutMarkdown(text, options)
  const place = [...prefix, source]
  const wanted = new Map<string, StoredPassage>()
  for (const [position, passage] of passages.entries()) {
    const { content, headings } = passage
    let id = await contentId([content, ...headings])
    // The same words twice under the same headings are two passages.
    for (let n = 2; wanted.has(id); n++) id = await contentId([content, ...headings, String(n)])
    wanted.set(id, { ...passage, source, session: source, position })
  }
  const gone: string[][] = []
  for await (const { key, value } of records.list(place, { signal })) {
    const stored = value as StoredPassage
    const now = wanted.get(key.at(-1)!)
    if (now === undefined) gone.push(key)
    else if (now.line === stored.line && now.position === stored.position) wanted.delete(key.at(-1)!)
  }
  // The new ones first: whoever searches meanwhile finds one version or the other, never neither.
  const puts = Array.from(wanted, ([id, value]) => ({
    key: [...place, id],
    value,
    options: { index: ['content', 'headings'], sources: [source] },
  }))
  if (puts.length > 0) await records.putMany(puts, { signal })
  for (const key of gone) await records.delete(key, { signal })
  return passages.length
}

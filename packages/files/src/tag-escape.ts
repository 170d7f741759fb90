/** The tags that frame memory in a prompt. What they frame must not be able to close or open them. */
const TAGS = ['agent_memory', 'memory_guidelines']

/** What a `<` can begin with: itself, its wide and small forms, or an entity. */
const OPENERS = /[<\uFF1C\uFE64&]/g
const ENTITY = /&(?:#0*(?<decimal>\d{1,7})|#x0*(?<hex>[\da-f]{1,6})|(?<name>lt|sol|bsol|lowbar));?/iy
const NAMED: Readonly<Record<string, string>> = { lt: '<', sol: '/', bsol: '\\', lowbar: '_' }
/** May stand between `<` and a name: spaces, slashes of all kinds, invisible characters and marks. */
const BEFORE_NAME = /^[\s\\/\u2044\u2215\u29F8\u2571\p{Cf}\p{M}]$/u
const INVISIBLE = /^[\p{Cf}\p{M}]$/u

/**
 * Takes the meaning from everything that a model could read as one of our tags: a `\` is put right after its `<`. A tag
 * is found in any case, with spaces, slashes, backslashes or invisible characters before its name, in wide or otherwise
 * styled letters, and with characters written as entities.
 *
 * Nothing is lost: {@link unescapeTags} finds the same tags and takes one `\` away from each. A tag that had a `\` there
 * already has one more while it is escaped.
 */
export function escapeTags(text: string): string {
  return atTags(text, (nameStart) => ({ insert: '\\', continueAt: nameStart }))
}

/** The inverse of {@link escapeTags}. */
export function unescapeTags(text: string): string {
  return atTags(text, (nameStart) => ({ insert: '', continueAt: nameStart + (text[nameStart] === '\\' ? 1 : 0) }))
}

function atTags(text: string, change: (afterOpener: number) => { insert: string; continueAt: number }): string {
  let changed = ''
  let kept = 0
  for (const { index } of text.matchAll(OPENERS)) {
    const opener = characterAt(text, index)
    if (opener.is !== '<' || !isTag(text, opener.end)) continue
    const { insert, continueAt } = change(opener.end)
    changed += text.slice(kept, opener.end) + insert
    kept = continueAt
  }
  return changed + text.slice(kept)
}

function isTag(text: string, afterOpener: number): boolean {
  const start = skip(text, afterOpener, BEFORE_NAME)
  return TAGS.some((name) => isName(text, start, name))
}

function isName(text: string, start: number, name: string): boolean {
  let at = start
  for (const letter of name) {
    at = skip(text, at, INVISIBLE)
    if (at >= text.length) return false
    const character = characterAt(text, at)
    if (character.is !== letter) return false
    at = character.end
  }
  return true
}

function skip(text: string, start: number, what: RegExp): number {
  let at = start
  while (at < text.length) {
    const { is, end } = characterAt(text, at)
    if (!what.test(is)) break
    at = end
  }
  return at
}

/** What the character or entity at a position looks like, in lower case, and where it ends. */
function characterAt(text: string, at: number): { is: string; end: number } {
  ENTITY.lastIndex = at
  const entity = text[at] === '&' ? ENTITY.exec(text) : null
  if (entity !== null) {
    const { decimal, hex, name } = entity.groups!
    const point = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
    const is = name === undefined ? fromPoint(point) : NAMED[name.toLowerCase()]!
    return { is: plain(is), end: at + entity[0].length }
  }
  const character = String.fromCodePoint(text.codePointAt(at)!)
  return { is: plain(character), end: at + character.length }
}

function fromPoint(point: number): string {
  return point <= 0x10ffff ? String.fromCodePoint(point) : '\uFFFD'
}

function plain(character: string): string {
  // Most are ASCII, which is plain already.
  if (character <= '\u007F') return character.toLowerCase()
  return character.normalize('NFKC').toLowerCase()
}

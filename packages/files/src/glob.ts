import { invalidPath, ok } from './failures.ts'
import type { Result } from './files.ts'
import { parsePath, toPath } from './paths.ts'

/** A pattern for paths, ready for use. */
export interface Glob {
  /** The directory below which everything that fits lies. */
  readonly base: readonly string[]
  /** How many segments a path that fits may have. */
  readonly maxDepth: number
  matches(segments: readonly string[]): boolean
  /** What the pattern means below a directory: patterns that begin there, of which a path must fit one. */
  below(directory: readonly string[]): string[]
}

/** `{a,b}` is written out; more patterns than this come of no honest one. */
const MAX_ALTERNATIVES = 100

/** The longest pattern, in characters: a path is not longer either. */
const MAX_PATTERN_LENGTH = 1000

/** Takes any number of items: `*` of characters in a name, `**` of segments in a path. */
const ANY = Symbol('any')
type Pattern<P> = readonly (P | typeof ANY)[]
type CharacterTest = (character: string) => boolean
type SegmentPattern = Pattern<CharacterTest>

/**
 * Compiles a pattern: `*`, `?`, `[abc]`, `[a-z]`, `[!abc]`, `{a,b}`, and `**` as a whole segment. Patterns come from
 * models, so the work of matching is bounded by the length of the pattern times that of the path: a pattern made into a
 * regular expression can take hours on a path of 200 characters.
 *
 * A pattern is a path as well, so what {@link parsePath} refuses is refused here.
 */
export function compileGlob(pattern: unknown): Result<Glob> {
  if (typeof pattern !== 'string') return invalidPath('a pattern must be a text')
  if (pattern.length > MAX_PATTERN_LENGTH) return invalidPath(`a pattern may have ${MAX_PATTERN_LENGTH} characters`)
  const written = writeOut(pattern)
  if (written === undefined) return invalidPath(`a pattern may not stand for more than ${MAX_ALTERNATIVES} others`)
  const alternatives: string[][] = []
  for (const alternative of written) {
    const parsed = parsePath(alternative)
    if (!parsed.ok) return parsed
    alternatives.push([...parsed.value.segments])
  }
  const patterns: Pattern<SegmentPattern>[] = alternatives.map((segments) =>
    segments.map((segment) => (segment === '**' ? ANY : compileSegment(segment))),
  )
  return ok({
    base: commonBase(alternatives),
    maxDepth: Math.max(
      ...patterns.map((segments) => (segments.includes(ANY) ? Number.POSITIVE_INFINITY : segments.length)),
    ),
    matches: (path) => patterns.some((segments) => matchSequence(segments, path, matchSegment)),
    below: (directory) => [
      ...new Set(patterns.flatMap((segments, index) => restsBelow(segments, alternatives[index]!, directory))),
    ],
  })
}

/** A path as a pattern that fits nothing else. */
export function escapeGlob(path: string): string {
  return path.replaceAll(/[*?[{]/g, '[$&]')
}

/**
 * Whether each item fits its place in the pattern. Only the last {@link ANY} that was met can need to take more, so there
 * is one way back and no more.
 */
function matchSequence<P, T>(pattern: Pattern<P>, items: readonly T[], fits: (place: P, item: T) => boolean): boolean {
  let place = 0
  let item = 0
  let afterAny = -1
  let retryAt = 0
  while (item < items.length) {
    const wanted = pattern[place]
    if (wanted === ANY) {
      afterAny = ++place
      retryAt = item
    } else if (wanted !== undefined && fits(wanted, items[item]!)) {
      place++
      item++
    } else if (afterAny >= 0) {
      place = afterAny
      item = ++retryAt
    } else return false
  }
  while (pattern[place] === ANY) place++
  return place === pattern.length
}

/** The rests of a pattern that stand for what is below a directory: several where `**` may take more of it or less. */
function restsBelow(
  pattern: Pattern<SegmentPattern>,
  written: readonly string[],
  directory: readonly string[],
): string[] {
  let places = new Set([0])
  for (const name of directory) {
    const next = new Set<number>()
    for (let place of places) {
      for (; pattern[place] === ANY; place++) next.add(place)
      const wanted = pattern[place]
      if (wanted !== undefined && wanted !== ANY && matchSegment(wanted, name)) next.add(place + 1)
    }
    places = next
  }
  return [...places].filter((place) => place < written.length).map((place) => toPath(written.slice(place)))
}

function matchSegment(pattern: SegmentPattern, name: string): boolean {
  return matchSequence(pattern, Array.from(name), (test, character) => test(character))
}

function compileSegment(segment: string): SegmentPattern {
  const pattern: (CharacterTest | typeof ANY)[] = []
  for (let rest = segment; rest !== '';) {
    const end = classEnd(rest)
    const token = end > 0 ? rest.slice(0, end) : String.fromCodePoint(rest.codePointAt(0)!)
    rest = rest.slice(token.length)
    if (token === '*') pattern.push(ANY)
    else if (token === '?') pattern.push(() => true)
    else if (end > 0) pattern.push(compileClass(token))
    else pattern.push((character) => character === token)
  }
  return pattern
}

/** Where the class at the beginning of `text` ends; 0 if there is none. A `]` in the first place belongs to it. */
function classEnd(text: string): number {
  if (!text.startsWith('[')) return 0
  const first = text[1] === '!' || text[1] === '^' ? 2 : 1
  const end = text.indexOf(']', first + 1)
  const slash = text.indexOf('/')
  return end === -1 || (slash !== -1 && slash < end) ? 0 : end + 1
}

function compileClass(token: string): CharacterTest {
  const negated = token[1] === '!' || token[1] === '^'
  const members = Array.from(token.slice(negated ? 2 : 1, -1))
  return (character) => {
    const point = character.codePointAt(0)!
    for (let i = 0; i < members.length; i++) {
      const from = members[i]!.codePointAt(0)!
      const isRange = members[i + 1] === '-' && i + 2 < members.length
      const to = isRange ? members[i + 2]!.codePointAt(0)! : from
      if (point >= from && point <= to) return !negated
      if (isRange) i += 2
    }
    return negated
  }
}

/** The patterns that one with braces stands for, or `undefined` if there are too many. An unclosed brace is itself. */
function writeOut(pattern: string): string[] | undefined {
  const done: string[] = []
  const open = [pattern]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const braces = firstBraces(next)
    if (braces === undefined) done.push(next)
    else for (const choice of braces.choices) open.push(next.slice(0, braces.start) + choice + next.slice(braces.end))
    if (done.length + open.length > MAX_ALTERNATIVES) return undefined
  }
  return done
}

/** The first closed braces with a comma in them. */
function firstBraces(text: string): { start: number; end: number; choices: string[] } | undefined {
  let start = -1
  let depth = 0
  let commas: number[] = []
  for (let i = 0; i < text.length; i++) {
    const inClass = classEnd(text.slice(i))
    if (inClass > 0) i += inClass - 1
    else if (text[i] === '{') {
      if (depth++ === 0) {
        start = i
        commas = []
      }
    } else if (text[i] === ',' && depth === 1) commas.push(i)
    else if (text[i] === '}' && depth > 0 && --depth === 0 && commas.length > 0) {
      const edges = [start, ...commas, i]
      return { start, end: i + 1, choices: commas.concat(i).map((to, n) => text.slice(edges[n]! + 1, to)) }
    }
  }
  return undefined
}

/** The directories that all alternatives lie in, up to the first wildcard. */
function commonBase(alternatives: readonly (readonly string[])[]): string[] {
  const [first = [], ...others] = alternatives
  const base: string[] = []
  for (const segment of first.slice(0, -1)) {
    const depth = base.length
    if (/[*?[]/.test(segment) || others.some((o) => o.length < depth + 2 || o[depth] !== segment)) break
    base.push(segment)
  }
  return base
}

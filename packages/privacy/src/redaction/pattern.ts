/** Where something to be redacted stands in a text. */
export interface Finding {
  start: number
  end: number
}

/** Something that is not to be stored. */
export interface RedactionPattern {
  /** What stands in its place, in brackets: `EMAIL` becomes `[EMAIL]`. Capital letters, digits and `_`. */
  name: string
  /** All places of a text, in any order. Must be linear in the length of the text. */
  find(text: string): Iterable<Finding>
}

/**
 * A pattern from a regular expression with the flag `g`. Its first group, or else all of it, is redacted where `accept`
 * says so.
 */
export function matching(name: string, regex: RegExp, accept?: (match: string) => boolean): RedactionPattern {
  return {
    name,
    *find(text) {
      for (const match of text.matchAll(regex)) {
        const found = match[1] ?? match[0]
        if (accept !== undefined && !accept(found)) continue
        const start = match.index + (match[1] === undefined ? 0 : match[0].lastIndexOf(found))
        yield { start, end: start + found.length }
      }
    },
  }
}

import { dump, FAILSAFE_SCHEMA, load } from 'js-yaml'
import { shownText } from './text.ts'

export interface FrontMatter {
  /** What stands between the two lines of `---`: texts by name, everything else left out. */
  fields: Readonly<Record<string, string>>
  /** What comes after it, or the whole text where there is none. */
  body: string
}

/** Front matter is short. What is longer is text that happens to begin with a line. */
const MAX_CHARS = 10_000

/**
 * Takes the YAML at the head of a Markdown text apart, as people write it: quoted or not, over several lines. What is no
 * YAML is no front matter. Values are texts as they stand there: `2024-01-01` is no date, `yes` no truth.
 */
export function readFrontMatter(text: string): FrontMatter {
  const shown = shownText(text)
  const none: FrontMatter = { fields: {}, body: shown }
  const head = shown.slice(0, MAX_CHARS)
  const opening = /^---[ \t]*\n/.exec(head)
  if (opening === null) return none
  const closing = /^---[ \t]*$/m.exec(head.slice(opening[0].length))
  if (closing === null) return none
  const yaml = head.slice(opening[0].length, opening[0].length + closing.index)
  const body = shown.slice(opening[0].length + closing.index + closing[0].length).replace(/^\n/, '')
  const fields = parsed(yaml)
  return fields === undefined ? none : { fields, body }
}

/** The text with its front matter before it. Empty fields are left out. */
export function writeFrontMatter(fields: Readonly<Record<string, string>>, body: string): string {
  const kept = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''))
  if (Object.keys(kept).length === 0) return body
  return `---\n${dump(kept, { lineWidth: -1 })}---\n\n${body}`
}

function parsed(yaml: string): Record<string, string> | undefined {
  if (yaml.trim() === '') return {}
  let value: unknown
  try {
    // In this schema every scalar is a text. Aliases could make a file grow while it is read.
    value = load(yaml, { schema: FAILSAFE_SCHEMA, maxAliases: 0, json: true })
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return Object.fromEntries(
    Object.entries(value)
      .filter((entry): entry is [string, string] => typeof entry[1] === 'string')
      .map(([name, text]) => [name, text.trim()]),
  )
}

import { KeepsakeError } from './errors.ts'
import type { AnyMessage, Message } from './message.ts'
import { ownerKey, type Owner } from './owner.ts'
import { encodeTuple, type Key } from './rows/keys.ts'

/** What a record was derived from. */
export type Source =
  | { thread: string; message?: string }
  | { owner: Owner; record: Key }
  | { owner: Owner; file: string }
  | { tool: string; call?: string }
  | { origin: string }

/**
 * A source as the text that `sources` of a record takes. It says whose it is, so that it means the same in all memories: a
 * record that was derived from a person's thread, record or file goes when that person is erased, wherever it is.
 *
 * | source | text |
 * |---|---|
 * | `{ thread: 't1' }`, `{ thread: 't1', message: 'm1' }` | `thread:t1`, `thread:t1#m1` |
 * | `{ owner: ['users', 'ada'], record: ['memories', 'food'] }` | `record:users/ada#memories/food` |
 * | `{ owner: 'ada', file: '/AGENTS.md' }` | `file:ada#/AGENTS.md` |
 * | `{ tool: 'fetch', call: 'c1' }` | `tool:fetch#c1` |
 * | `{ origin: 'https://example.com/' }` | `origin:https:%2F%2Fexample.com%2F` |
 *
 * `%`, `/`, `#` and characters that cannot be seen are written as in URLs inside a segment.
 */
export function sourceText(source: Source): string {
  if ('thread' in source) return `thread:${segment(source.thread)}${part(source.message)}`
  if ('tool' in source) return `tool:${segment(source.tool)}${part(source.call)}`
  if ('origin' in source) return `origin:${segment(source.origin)}`
  if ('record' in source) return `record:${segments(ownerKey(source.owner))}#${segments(source.record)}`
  if ('file' in source) {
    return `file:${segments(ownerKey(source.owner))}#${source.file.split('/').map(segment).join('/')}`
  }
  throw new KeepsakeError(
    'invalid_value',
    'A source is { thread }, { owner, record }, { owner, file }, { tool } or { origin }.',
  )
}

const UNTRUSTED = 'untrusted:'

/** The text of a source that is not to be trusted: a record with such a source is in quarantine. */
export function untrustedText(source: Source): string {
  return UNTRUSTED + sourceText(source)
}

/** Whether something with these sources is in quarantine. */
export function isQuarantined(sources: readonly string[] | undefined): boolean {
  return sources?.some((source) => source.startsWith(UNTRUSTED)) === true
}

/** The same sources, trusted. */
export function trusted(sources: readonly string[]): string[] {
  return sources.map((source) => (source.startsWith(UNTRUSTED) ? source.slice(UNTRUSTED.length) : source))
}

/** Messages name the newest of what they were made after reading: one is enough to be marked. */
const MAX_UNTRUSTED = 16

/**
 * What of messages came from untrusted content: the union of their `untrusted`, the newest 16. `sources` for what is derived
 * from them, which is in quarantine then; empty where none of them was made after reading such content.
 */
export function untrustedSources(messages: readonly AnyMessage[]): string[] {
  const all = new Set<string>()
  for (const message of messages) {
    for (const source of (message as Message).untrusted ?? []) {
      // Behind those that are older.
      all.delete(source)
      all.add(source)
    }
  }
  return [...all].slice(-MAX_UNTRUSTED)
}

/** What of a source's text names its thread or owner: `undefined` for a text that names neither. */
export function holderOfSource(text: string): { thread: string } | { owner: string } | undefined {
  const match = /^(thread|record|file):([^#]*)(?:#.*)?$/s.exec(text)
  if (match === null) return undefined
  const names = match[2]!.split('/').map(unsegment)
  if (names.includes(undefined)) return undefined
  return match[1] === 'thread' ? { thread: names[0]! } : { owner: encodeTuple(names as string[]) }
}

function segments(key: Key): string {
  return key.map(segment).join('/')
}

function segment(text: string): string {
  return text.replace(/[%/#\p{C}\p{Z}]/gu, (c) => (c.isWellFormed() ? encodeURIComponent(c) : '%EF%BF%BD'))
}

function part(text: string | undefined): string {
  return text === undefined ? '' : `#${segment(text)}`
}

function unsegment(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

import { equalBytes, type Message } from '@keepsake/core'

/** Compares messages deeply, bytes too. An `id` and a `createdAtMs` that the expected message lacks are ignored. */
export function expectMessages(actual: readonly Message[], expected: readonly Message[], what = 'messages'): void {
  const bare = actual.map((message, i) => withoutAdded(message, expected[i]))
  if (sameValue(bare, expected)) return
  const error = new Error(`${what}: expected ${shown(expected)}, got ${shown(bare)}`)
  throw Object.assign(error, { actual: bare, expected })
}

/** Deep equality of plain data. A key that holds `undefined` is a key that is not there. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (a instanceof Uint8Array || b instanceof Uint8Array) {
    return a instanceof Uint8Array && b instanceof Uint8Array && equalBytes(a, b)
  }
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const left = new Map(Object.entries(a).filter(([, value]) => value !== undefined))
  const right = Object.entries(b).filter(([, value]) => value !== undefined)
  return left.size === right.length && right.every(([key, value]) => left.has(key) && sameValue(left.get(key), value))
}

function withoutAdded(message: Message, expected: Message | undefined): Message {
  const copy = { ...message }
  if (expected?.id === undefined) delete copy.id
  if (expected?.createdAtMs === undefined) delete copy.createdAtMs
  return copy
}

function shown(messages: readonly Message[]): string {
  const text = JSON.stringify(messages, (_, value: unknown) =>
    value instanceof Uint8Array ? `${value.length} bytes` : value,
  )
  return text.length > 500 ? `${messages.length} messages: ${text.slice(0, 500)}…` : text
}

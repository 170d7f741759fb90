import { KeepsakeError, parseStoreUri } from '@keepsake/core'

/** What the stores on a server have in common. */
export interface ServerOptions {
  /** The table of rows. Default `keepsake_rows`. The table of its migrations has this name and `_migrations`. */
  table?: string
  /**
   * How long a call may take on the server, with waiting for a free connection, in milliseconds, before it rejects with
   * `unavailable` and its connection is closed. Default 30,000.
   */
  queryTimeoutMs?: number
  /**
   * How long a call goes on trying after deadlocks and lost connections, in milliseconds, before it rejects. Default
   * 15,000; 0 tries once.
   */
  retryTimeoutMs?: number
}

export interface ServerTimes {
  queryTimeoutMs: number
  retryTimeoutMs: number
}

/** Connections of a pool that a store opens, at most. */
export const DEFAULT_MAX_CONNECTIONS = 10

/** Throws `invalid_value`. */
export function checkTimes({ queryTimeoutMs = 30_000, retryTimeoutMs = 15_000 }: ServerOptions): ServerTimes {
  checkWhole('queryTimeoutMs', queryTimeoutMs, 1)
  checkWhole('retryTimeoutMs', retryTimeoutMs, 0)
  return { queryTimeoutMs, retryTimeoutMs }
}

/** Throws `invalid_value` for an address that is none, without repeating it: it may hold a password. */
export function checkUrl(url: unknown, schemes: readonly string[]): asserts url is string {
  const address = typeof url === 'string' ? parseStoreUri(url) : undefined
  if (address?.kind === 'server' && schemes.includes(address.scheme)) return
  throw invalid(`url must begin with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}.`)
}

/** Throws `invalid_value` unless `value` is a whole number from `least`, and no longer than a timer can wait. */
export function checkWhole(name: string, value: unknown, least: number): void {
  if (Number.isInteger(value) && (value as number) >= least && (value as number) < 2 ** 31) return
  throw invalid(`${name} must be a whole number from ${least}.`)
}

/** Throws `invalid_value` if an option is given that belongs to another way of connecting. */
export function checkLeftOut<T extends object>(options: T, names: readonly (keyof T & string)[], beside: string): void {
  const clash = names.find((name) => options[name] !== undefined)
  if (clash !== undefined) throw invalid(`${clash} means nothing beside ${beside}; leave it out.`)
}

export function invalid(message: string): KeepsakeError {
  return new KeepsakeError('invalid_value', message)
}

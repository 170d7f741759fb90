import { KeepsakeError } from '@keepsake/core'

/** Answers of a server that is starting, failing over, moving slots or busy: the same command may succeed soon. */
const PASSING =
  /^(LOADING|READONLY|CLUSTERDOWN|MASTERDOWN|TRYAGAIN|BUSY|NOREPLICAS|UNBLOCKED|MISCONF|ERR max number of clients)\b/
/** What ioredis says of commands that did not get through, or whose answer was lost. */
const LOST =
  /^(Connection is closed|Stream isn't writeable|Command timed out|Command aborted|Socket timeout|Reached the max retries|Too many Cluster redirections|Cluster (isn't ready|is |has )|Failed to refresh slots|None of startup nodes|connect ETIMEDOUT)/i
const LOST_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
])

/** Whether the command may be sent again: it did not get through, or its answer was lost. Writes recognise themselves. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return PASSING.test(error.message) || isLost(error)
}

/** Whether the connection failed, and not the command. */
export function isLost(error: unknown): boolean {
  if (!(error instanceof Error) || error.name === 'ReplyError') return false
  return LOST.test(error.message) || LOST_CODES.has(String((error as { code?: unknown }).code))
}

export function isNoScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT')
}

/** What a failure of the client or the server means for the caller. Never repeats an address, a key or a value. */
export function toKeepsakeError(error: unknown): unknown {
  if (!(error instanceof Error) || KeepsakeError.isInstance(error)) return error
  const cause = withoutArguments(error)
  const fails = (text: string, retryable = false): KeepsakeError =>
    new KeepsakeError('unavailable', text, { retryable, cause })
  const [kind = ''] = /^[A-Z]+/.exec(error.message) ?? []
  if (
    kind === 'NOAUTH' ||
    kind === 'WRONGPASS' ||
    /^ERR (invalid password|AUTH <password> called)/.test(error.message)
  ) {
    return fails('Redis refused the user or the password; check the address of the store.')
  }
  if (kind === 'NOPERM') {
    return fails('The Redis user lacks a right that the store needs; its README lists the commands to allow.')
  }
  if (kind === 'OOM') {
    return fails('Redis is out of memory and takes no more writes; raise maxmemory or remove something.', true)
  }
  if (kind === 'CROSSSLOT' || kind === 'MOVED' || kind === 'ASK') return isOfCluster(cause)
  if (kind === 'READONLY') return fails('This Redis server is a replica; give the address of the master.', true)
  if (/DB index is out of range/.test(error.message)) {
    return new KeepsakeError('invalid_value', 'The Redis address names a database that the server does not have.', {
      cause,
    })
  }
  if (isLost(error)) {
    return fails('Redis could not be reached, or did not answer in time. Check that it runs and try again.', true)
  }
  if (isPassing(error)) return fails(`Redis takes no commands at the moment (${kind}). Try again.`, true)
  if (error.name === 'ReplyError') return fails('Redis answered with an error; the cause has it.')
  // Of the system or of TLS.
  if ('code' in error) return fails('Redis could not be reached; the cause says why.')
  return error
}

/** For a client of one server that was led to a server of a cluster. */
export function isOfCluster(cause?: unknown): KeepsakeError {
  return new KeepsakeError(
    'unsupported',
    'This server is part of a cluster; open it with redis+cluster:// or a Cluster client.',
    { cause },
  )
}

/** Errors of ioredis carry the command with its arguments, which are records or a password; Redis may quote some too. */
function withoutArguments(error: Error): Error {
  const copy = new Error(error.message.replace(/, with args beginning with[^]*/, ''))
  copy.name = error.name
  const { code } = error as { code?: unknown }
  return code === undefined ? copy : Object.assign(copy, { code })
}

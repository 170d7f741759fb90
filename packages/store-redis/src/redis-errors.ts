import { KeepsakeError } from '@keepsake/core'

/** Answers of a server that is starting, failing over or moving slots: the same command may succeed soon. */
const PASSING = /^(LOADING|READONLY|CLUSTERDOWN|MASTERDOWN|TRYAGAIN|BUSY|NOREPLICAS|UNBLOCKED|MISCONF)\b/
const LOST =
  /Connection is closed|Stream isn't writeable|max retries per request|Too many Cluster redirections|Failed to refresh slots|None of startup nodes|Command timed out|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|connect |ClusterAllFailed/i

/** Whether the command may be sent again: it did not get through, or its answer was lost. Writes recognise themselves. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return (
    PASSING.test(error.message) ||
    LOST.test(`${error.name} ${error.message} ${(error as { code?: string }).code ?? ''}`)
  )
}

export function isNoScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT')
}

/** What a failure of the client or the server means for the caller. Never repeats an address or an argument. */
export function toKeepsakeError(error: unknown): unknown {
  if (!(error instanceof Error) || KeepsakeError.isInstance(error)) return error
  const kind = /^[A-Z]+/.exec(error.message)?.[0] ?? ''
  if (
    kind === 'NOAUTH' ||
    kind === 'WRONGPASS' ||
    kind === 'NOPERM' ||
    /invalid username-password|invalid password/i.test(error.message)
  ) {
    return new KeepsakeError('unavailable', 'Redis refused the user or the password; check the address of the store.', {
      cause: error,
    })
  }
  if (kind === 'OOM') {
    return new KeepsakeError(
      'unavailable',
      'Redis is out of memory and takes no more writes; raise maxmemory or remove something.',
      {
        retryable: true,
        cause: error,
      },
    )
  }
  if (kind === 'CROSSSLOT' || kind === 'MOVED' || kind === 'ASK') {
    return new KeepsakeError(
      'unsupported',
      'This server is part of a cluster; open it with redis+cluster:// or a Cluster client.',
      { cause: error },
    )
  }
  if (isPassing(error)) {
    return new KeepsakeError(
      'unavailable',
      'Redis could not be reached, or did not answer in time. Check that it runs and try again.',
      {
        retryable: true,
        cause: error,
      },
    )
  }
  return new KeepsakeError('unavailable', 'Redis answered with an error; the cause has it.', { cause: error })
}

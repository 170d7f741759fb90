/** What Node and others call a connection that was not made. */
const REFUSED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'ENOENT',
])
/** And one that broke. */
const LOST = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED'])

/** The code of an error, whatever it comes from: a system call's, SQLSTATE or the client's own. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error)) return ''
  return typeof error.code === 'string' ? error.code : ''
}

export function isRefused(error: unknown): boolean {
  return REFUSED.has(codeOf(error))
}

export function isLost(error: unknown): boolean {
  return LOST.has(codeOf(error))
}

import { parseStoreUri, withOneHost } from '@keepsake/core'
import { asUsage } from './cli-error.ts'
import { safeLine } from './safe-text.ts'

/**
 * The address of a store without what could be secret in it: user, password and parameters are left out. One that cannot
 * be read is a usage error.
 */
export function describeStore(uri: string): string {
  const parsed = asUsage(() => parseStoreUri(uri))
  switch (parsed.kind) {
    case 'server': {
      const { pathname } = new URL(withOneHost(parsed.url))
      return safeLine(`${parsed.scheme}://${hostsOf(parsed.url)}${pathname}`)
    }
    case 'other':
      return `${parsed.scheme}:…`
    default:
      return safeLine(uri)
  }
}

/** The hosts of a server's address, without user and password. */
export function hostsOf(url: string): string {
  return /^[^/]*\/\/(?:[^@/]*@)?([^/?#]*)/.exec(url)?.[1] ?? ''
}

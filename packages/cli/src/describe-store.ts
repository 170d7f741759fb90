import { parseStoreUri } from '@keepsake/core'
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
      const { host, pathname } = new URL(parsed.url)
      return safeLine(`${parsed.scheme}://${host}${pathname}`)
    }
    case 'other':
      return `${parsed.scheme}:…`
    default:
      return safeLine(uri)
  }
}

import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseStoreUri, withOneHost } from '@keepsake/core'
import { asUsage } from './cli-error.ts'
import { hostsOf } from './describe-store.ts'

/**
 * What an address says about which store it is, without user, password and other secrets: `undefined` for one that is
 * new and empty in every process. An address that cannot be read is a usage error.
 */
export function storeIdentity(uri: string): string | undefined {
  const parsed = asUsage(() => parseStoreUri(uri))
  switch (parsed.kind) {
    case 'memory':
      return undefined
    case 'file':
      return parsed.path === ':memory:' ? undefined : `file:${realPath(parsed.path)}`
    case 'server': {
      const { pathname, searchParams } = new URL(withOneHost(parsed.url))
      const parameters = new URLSearchParams([...searchParams].filter(([name]) => !SECRET.test(name)))
      parameters.sort()
      return `${ALIASES[parsed.scheme] ?? parsed.scheme}://${hostsOf(parsed.url)}${pathname}?${parameters}`
    }
    case 'firestore':
      return `firestore://${parsed.project}/${parsed.collection}`
    case 'bigtable':
      return `bigtable://${parsed.project}/${parsed.instance}/${parsed.table}`
    default:
      return `${parsed.scheme}:${parsed.text}`
  }
}

/** The identity as a short text that tells nothing of the address: SHA-256. */
export function hashIdentity(identity: string): string {
  return createHash('sha256').update(identity).digest('hex')
}

/** Two names of one scheme. */
const ALIASES: Readonly<Record<string, string>> = { postgresql: 'postgres', mariadb: 'mysql' }
/** Parameters that may hold a secret, or that change when one does; these do not say which store it is. */
const SECRET = /user|pass|pwd|secret|token|key|cred|auth|cert/i

/** The file that a path leads to, over links too. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}

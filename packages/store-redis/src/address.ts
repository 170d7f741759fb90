import { KeepsakeError } from '@keepsake/core'

interface Host {
  host: string
  port: number
}

/** An address of a store, taken apart: one server, or some servers of a cluster to ask for the others. */
export type RedisAddress = Login &
  (({ kind: 'server'; db: number; tls: boolean } & Host) | ({ kind: 'cluster' } & Hosts))

interface Hosts {
  hosts: Host[]
}

interface Login {
  username: string | undefined
  password: string | undefined
}

const STANDARD_PORT = 6379

/**
 * Takes apart `redis://[[USER][:PASSWORD]@]HOST[:PORT][/DB]`, the same with `rediss:` for TLS, and
 * `redis+cluster://[[USER][:PASSWORD]@]HOST[:PORT],HOST[:PORT]…`. User and password may be percent-encoded.
 *
 * Throws `invalid_value`; the message never repeats the address, which may hold a password. Settings after a `?` are
 * refused and not ignored.
 */
export function parseRedisAddress(url: string): RedisAddress {
  const match = /^(rediss?|redis\+cluster):\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^/@?#]+)(?:\/([^?#]*))?$/i.exec(url)
  if (match === null) throw malformed()
  const [, scheme, username, password, hosts, path = ''] = match as unknown as [
    string,
    string,
    ...(string | undefined)[],
  ]
  const login = { username: decoded(username), password: decoded(password) }
  if (scheme.toLowerCase() === 'redis+cluster') {
    if (path !== '') throw malformed()
    return { kind: 'cluster', hosts: hosts!.split(',').map(parseHost), ...login }
  }
  if (!/^\d{0,5}$/.test(path)) throw malformed()
  return { kind: 'server', ...parseHost(hosts!), db: Number(path), tls: scheme.toLowerCase() === 'rediss', ...login }
}

function parseHost(text: string): Host {
  const [, host, port] = /^(\[[\da-f:.]+\]|[^:,[\]\s]+)(?::(\d{1,5}))?$/i.exec(text) ?? []
  if (host === undefined || Number(port ?? 1) > 65_535) throw malformed()
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port ?? STANDARD_PORT) }
}

function decoded(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined
  try {
    return decodeURIComponent(text)
  } catch {
    throw new KeepsakeError(
      'invalid_value',
      'User or password in the Redis address is not percent-encoded: write % as %25.',
    )
  }
}

function malformed(): KeepsakeError {
  return new KeepsakeError(
    'invalid_value',
    'A Redis address has the form redis://[USER:PASSWORD@]HOST[:PORT][/DB], rediss:// with TLS, or redis+cluster://[USER:PASSWORD@]HOST[:PORT],HOST[:PORT]. For other settings pass a client.',
  )
}

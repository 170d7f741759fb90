import { KeepsakeError } from '../errors.ts'
import { describeType } from './keys.ts'

/** A store's address, taken apart. Schemes that Keepsake does not know have only their text. */
export type StoreUri =
  | { kind: 'memory'; scheme: string }
  | { kind: 'file'; scheme: string; path: string }
  | { kind: 'server'; scheme: string; url: string }
  | { kind: 'firestore'; scheme: string; project: string; collection: string }
  | { kind: 'bigtable'; scheme: string; project: string; instance: string; table: string }
  | { kind: 'other'; scheme: string; text: string }

/** The package that opens each scheme. */
export const STORE_PACKAGES: Readonly<Record<string, string>> = Object.freeze({
  memory: '@keepsake/core',
  sqlite: '@keepsake/store-sql',
  file: '@keepsake/store-sql',
  postgres: '@keepsake/store-sql',
  postgresql: '@keepsake/store-sql',
  mysql: '@keepsake/store-sql',
  mariadb: '@keepsake/store-sql',
  redis: '@keepsake/store-redis',
  rediss: '@keepsake/store-redis',
  'redis+cluster': '@keepsake/store-redis',
  firestore: '@keepsake/store-firestore',
  bigtable: '@keepsake/store-bigtable',
})

const GRAMMAR: Readonly<Record<string, string>> = Object.freeze({
  memory: 'memory://',
  sqlite: 'sqlite:PATH',
  file: 'file:PATH',
  firestore: 'firestore://PROJECT/COLLECTION',
  bigtable: 'bigtable://PROJECT/INSTANCE/TABLE',
})

/**
 * Checks the address of a store without loading any client. Throws `invalid_value` and says what the address should look
 * like; the message never repeats the address, which may hold a password.
 *
 * `sqlite:PATH`, `sqlite://PATH` and `file:PATH` take the path literally: `sqlite:///var/app.db` is `/var/app.db`,
 * nothing is percent-decoded, `sqlite::memory:` is a database in memory. `sqlite://USER:PASSWORD@…` is refused. Control characters are refused: a line break from
 * a file of settings would be part of the file's name.
 */
export function parseStoreUri(uri: string): StoreUri {
  if (typeof uri !== 'string') {
    throw new KeepsakeError('invalid_value', `A store URI must be a string; it is ${describeType(uri)}.`)
  }
  // oxlint-disable-next-line no-control-regex -- these characters are what is refused
  if (/[\0-\u001F\u007F]/.test(uri)) {
    throw new KeepsakeError(
      'invalid_value',
      'This store URI holds a control character: a line break from a file or a variable, perhaps. Trim it.',
    )
  }
  const match = /^([a-z][a-z0-9+.-]*):(.*)$/is.exec(uri)
  if (match === null) {
    throw new KeepsakeError(
      'invalid_value',
      `A store URI begins with its scheme, as in sqlite:app.db. ${knownSchemes()}`,
    )
  }
  const scheme = match[1]!.toLowerCase()
  const rest = match[2]!
  // What looks like a server's address with a password would be repeated in errors, as a path or a name.
  if (Object.hasOwn(GRAMMAR, scheme) && /^\/\/[^/]*:[^/]*@/.test(rest)) throw malformed(scheme)
  switch (scheme) {
    case 'memory':
      if (rest !== '' && rest !== '//') throw malformed(scheme)
      return { kind: 'memory', scheme }
    case 'sqlite':
    case 'file': {
      const path = rest.startsWith('//') ? rest.slice(2) : rest
      if (path === '') throw malformed(scheme)
      return { kind: 'file', scheme, path }
    }
    case 'firestore': {
      const [project, collection] = segments(rest, 2, scheme)
      return { kind: 'firestore', scheme, project: project!, collection: collection! }
    }
    case 'bigtable': {
      const [project, instance, table] = segments(rest, 3, scheme)
      return { kind: 'bigtable', scheme, project: project!, instance: instance!, table: table! }
    }
    default:
      if (!Object.hasOwn(STORE_PACKAGES, scheme)) return { kind: 'other', scheme, text: rest }
      if (!rest.startsWith('//') || !URL.canParse(withOneHost(uri))) throw malformed(scheme)
      return { kind: 'server', scheme, url: uri }
  }
}

/** The address with the first of its hosts: `//a:1,b:2/db` names several, which the URL standard does not know. */
export function withOneHost(uri: string): string {
  return uri.replace(/^([^/]*\/\/(?:[^@/]*@)?[^,/?#]+)(?:,[^,/?#@]+)+/, '$1')
}

/** The schemes that Keepsake knows, with the package of each, as a sentence for messages. */
export function knownSchemes(): string {
  const byPackage = Map.groupBy(Object.keys(STORE_PACKAGES), (scheme) => STORE_PACKAGES[scheme]!)
  const list = Array.from(byPackage, ([name, schemes]) => `${schemes.map((s) => `${s}:`).join(' ')} (${name})`)
  return `Known schemes: ${list.join(', ')}.`
}

function segments(rest: string, count: number, scheme: string): string[] {
  const parts = rest.startsWith('//') ? rest.slice(2).split('/') : []
  if (parts.length !== count || parts.some((part) => part === '')) throw malformed(scheme)
  return parts
}

function malformed(scheme: string): KeepsakeError {
  const form = GRAMMAR[scheme] ?? `${scheme}://[USER:PASSWORD@]HOST[:PORT][/DATABASE]`
  return new KeepsakeError('invalid_value', `This is no ${scheme}: address. It has the form ${form}.`)
}

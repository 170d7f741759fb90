import { KeepsakeError } from './errors.ts'
import { checkRowText, checkText, copyTuple, describeType, encodeTuple, type Key } from './rows/keys.ts'
import { MAX_ENTITY_BYTES } from './rows/row-store.ts'

/** Whose memory it is: a name, or a tuple such as `['users', 'ada']`. `'ada'` and `['ada']` are the same owner. */
export type Owner = string | Key

/** The owner as a tuple. Throws `invalid_key` for an owner that names nobody. */
export function ownerKey(owner: Owner, what = 'owner'): Key {
  if (typeof owner !== 'string' && !Array.isArray(owner)) {
    throw new KeepsakeError(
      'invalid_key',
      `${what} must be a name or a list of names, such as 'ada' or ['users', 'ada']; it is ${describeType(owner)}.`,
    )
  }
  if (typeof owner === 'string') checkText(owner, what)
  const key = typeof owner === 'string' ? [owner] : copyTuple(owner, what)
  if (key.every((segment) => segment === '')) {
    throw new KeepsakeError('invalid_key', `${what} is empty. Say whose memory it is: nobody's would be everybody's.`)
  }
  return key
}

/** The entity that holds all of an owner's records, files and list of threads. */
export function ownerEntity(owner: Owner): string {
  return entity('owner', ownerKey(owner), 'owner')
}

/** The first segment of the keys of an owner's list of threads. */
export const THREADS_AREA = 't'
/** When records were last recalled: beside them, so that it does not change their versions. */
export const RECALLED_AREA = 'ru'
/** How old the oldest row of an area is that a sweep of retention left. */
export const DUE_AREA = 'due'

/** The entity of a thread: its messages and, in a durable run, its journal. */
export function threadEntity(threadId: string): string {
  checkText(threadId, 'threadId')
  if (threadId === '') throw new KeepsakeError('invalid_key', 'threadId is empty. Give every conversation an id.')
  return entity('thread', [threadId], 'threadId')
}

/** The entity that lists where a subject's rows are. */
export function subjectEntity(subject: Owner): string {
  return entity('subject', ownerKey(subject, 'subject'), 'subject')
}

/** The subject as a tuple, once it is sure that it can have a directory. Throws `invalid_key`. */
export function checkedSubject(subject: Owner): Key {
  const key = ownerKey(subject, 'subject')
  subjectEntity(key)
  return key
}

function entity(kind: string, key: Key, what: string): string {
  const encoded = encodeTuple([kind, ...key])
  checkRowText(encoded, `${what}, as stored,`, MAX_ENTITY_BYTES)
  return encoded
}

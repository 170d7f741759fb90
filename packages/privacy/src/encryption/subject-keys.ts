import { hash, randomBytes } from 'node:crypto'
import {
  checkStore,
  encodeTuple,
  KeepsakeError,
  systemClock,
  type Bytes,
  type CallOptions,
  type Clock,
  type Key,
  type Owner,
  type RowStore,
} from '@keepsake/core'
import { mustBe } from '../must-be.ts'
import { KEY_BYTES, sealingKey, type SealingKey } from './gcm-siv.ts'
import { keyRows, type KeysOfSubject, type WrappedDataKey } from './key-rows.ts'
import type { KeyWrapping } from './key-wrapping.ts'

/** Bytes of SHA-256 that name a subject in the head of a record. */
export const SUBJECT_BYTES = 16
/** Subjects whose keys are held: some 20 KiB each. */
const MAX_CACHED = 2_000

/** A data key as records name it. */
export interface DataKeyId {
  /** The first 16 bytes of SHA-256 of the subject's tuple. */
  subject: Bytes
  /** Counts the subject's keys, from 1. */
  generation: number
}

/** The data keys of people, wrapped, in rows apart from what they encrypt. */
export interface SubjectKeys {
  /**
   * The key that a subject's records are written with now. The first call for a subject makes it: two round trips. Later
   * ones cost none for `cacheMs`.
   */
  current(subject: Key, options?: CallOptions): Promise<{ id: DataKeyId; key: SealingKey }>
  /** The key that wrote a record, or what became of it: `unknown` for one that this store never had. */
  find(id: DataKeyId, options?: CallOptions): Promise<SealingKey | 'destroyed' | 'unknown'>
  /** From now on the subject's records are written with a new key; what was written before stays readable. */
  rotate(subject: Owner, options?: CallOptions): Promise<void>
  /**
   * Destroys all keys of a subject: their rows, exports and backups are unreadable from then on, here at once, in other
   * processes after `cacheMs`. Writing for the subject again makes a new key. Returns how many keys went.
   */
  destroy(subject: Owner, options?: CallOptions): Promise<number>
  /** Wraps every key with the current key-encryption key, so that older ones can be retired. Returns how many it wrapped anew. */
  rewrap(options?: CallOptions): Promise<number>
}

export interface SubjectKeysOptions {
  /**
   * Where the wrapped keys are kept: not in the store that they encrypt, nor in its backups. Who restores both restores
   * what was destroyed.
   */
  store: RowStore
  /** The key-encryption key: {@link keyringFile}, {@link keyringFromEnv} or a key management service. */
  wrapping: KeyWrapping
  /** How long a key that was read is used without asking again, in milliseconds. Default 60_000. */
  cacheMs?: number
  /** Default: the process's. */
  clock?: Clock
}

interface OpenedKeys {
  untilMs: number
  newest: number
  keys: ReadonlyMap<number, SealingKey>
}

/**
 * Data keys in rows of `store`, one row per subject under a hash of its name: a row that outlives a person does not name
 * them. Throws `invalid_value` for options that cannot be used.
 */
export function subjectKeys(options: SubjectKeysOptions): SubjectKeys {
  const { store, wrapping, cacheMs = 60_000, clock = systemClock() } = options ?? {}
  checkStore(store, 'subjectKeys: store')
  if (typeof wrapping?.wrap !== 'function' || typeof wrapping.unwrap !== 'function')
    throw mustBe('subjectKeys: wrapping', 'a keyring, or wrap and unwrap of your key management service', wrapping)
  if (!(typeof cacheMs === 'number' && cacheMs >= 0))
    throw new KeepsakeError('invalid_value', `subjectKeys: cacheMs must be a number from 0; it is ${String(cacheMs)}.`)
  const rows = keyRows(store, clock)
  const cache = new Map<string, OpenedKeys>()

  async function opened(name: string, o: CallOptions): Promise<OpenedKeys> {
    const known = cache.get(name)
    if (known !== undefined && clock.nowMs() < known.untilMs) return known
    return open(name, await rows.read(name, o), o)
  }

  async function open(name: string, { newest, keys: wrappedKeys }: KeysOfSubject, o: CallOptions): Promise<OpenedKeys> {
    const untilMs = clock.nowMs() + cacheMs
    const keys = new Map<number, SealingKey>()
    for (const key of wrappedKeys) keys.set(key.generation, sealingKey(await unwrap(key, o)))
    cache.delete(name)
    if (cache.size >= MAX_CACHED) cache.delete(cache.keys().next().value!)
    const known = { untilMs, newest, keys }
    cache.set(name, known)
    return known
  }

  const unwrap = ({ keyId, wrapped }: WrappedDataKey, o: CallOptions): Promise<Bytes> =>
    wrapping.unwrap({ keyId, bytes: wrapped }, o)

  async function withNewKey({ newest, keys }: KeysOfSubject, o: CallOptions): Promise<KeysOfSubject> {
    const generation = newest + 1
    const { keyId, bytes } = await wrapping.wrap(new Uint8Array(randomBytes(KEY_BYTES)), o)
    return { newest: generation, keys: [...keys, { generation, keyId, wrapped: bytes }] }
  }

  return {
    async current(subject, o = {}) {
      const named = hashOf(subject)
      const name = nameOf(named)
      let known = await opened(name, o)
      if (!known.keys.has(known.newest)) {
        const keys = await rows.update(name, async (now) => (hasCurrent(now) ? undefined : withNewKey(now, o)), o)
        known = await open(name, keys, o)
      }
      return { id: { subject: named, generation: known.newest }, key: known.keys.get(known.newest)! }
    },
    async find({ subject, generation }, o = {}) {
      const name = nameOf(subject)
      let known = await opened(name, o)
      // One that is newer than what is known was made by another process since.
      if (generation > known.newest) known = await open(name, await rows.read(name, o), o)
      const isPast = generation >= 1 && generation <= known.newest
      return known.keys.get(generation) ?? (isPast ? 'destroyed' : 'unknown')
    },
    async rotate(subject, o = {}) {
      checkSubject(subject)
      const name = nameOf(hashOf(subject))
      await open(name, await rows.update(name, (now) => withNewKey(now, o), o), o)
    },
    async destroy(subject, o = {}) {
      // Of nobody there would be no key, and who asked would think that there is none any more.
      checkSubject(subject)
      const name = nameOf(hashOf(subject))
      let destroyed = 0
      const left = await rows.update(
        name,
        async ({ newest, keys }) => {
          destroyed = keys.length
          return destroyed === 0 ? undefined : { newest, keys: [] }
        },
        o,
      )
      await open(name, left, o)
      return destroyed
    },
    async rewrap(o = {}) {
      const { keyId: currentId } = await wrapping.wrap(new Uint8Array(KEY_BYTES), o)
      let total = 0
      for await (const name of rows.names(o)) {
        let count = 0
        await rows.update(
          name,
          async ({ newest, keys }) => {
            const old = keys.filter(({ keyId }) => keyId !== currentId)
            count = old.length
            return count === 0 ? undefined : { newest, keys: await Promise.all(keys.map(wrappedAnew)) }
          },
          o,
        )
        total += count
      }
      return total

      async function wrappedAnew(key: WrappedDataKey): Promise<WrappedDataKey> {
        if (key.keyId === currentId) return key
        const { keyId, bytes } = await wrapping.wrap(await unwrap(key, o), o)
        return { generation: key.generation, keyId, wrapped: bytes }
      }
    },
  }
}

function checkSubject(subject: Owner): void {
  const names: unknown = typeof subject === 'string' ? [subject] : subject
  if (Array.isArray(names) && names.some((name) => name !== '')) return
  throw new KeepsakeError('invalid_key', 'The subject names nobody; say whose keys are meant.')
}

function hasCurrent({ newest, keys }: KeysOfSubject): boolean {
  return keys.some(({ generation }) => generation === newest)
}

function hashOf(subject: Owner): Bytes {
  const digest = hash('sha256', encodeTuple(typeof subject === 'string' ? [subject] : subject), 'buffer')
  return new Uint8Array(digest.subarray(0, SUBJECT_BYTES))
}

function nameOf(subject: Bytes): string {
  return Buffer.from(subject).toString('hex')
}

import { decode, encode, rfc8949EncodeOptions, Token, Type } from 'cborg'
import { KeepsakeError } from '../errors.ts'
import { exactTokenizer } from './exact-tokenizer.ts'
import type { Key } from '../rows/keys.ts'
import type { Storable } from './normalise.ts'
import type { Bytes } from '../rows/row-store.ts'
import { skipItem } from './skip-item.ts'
import { decodeWtf8, encodeWtf8 } from './wtf8.ts'

/** What a record holds beside its value. `docs/envelope.md` describes the bytes. */
export interface Envelope {
  /** As `normalise` returns it. */
  value: Storable
  /** Unix milliseconds. */
  createdAtMs: number
  /** When it stops being visible, in Unix milliseconds; left out: never. */
  expiresAtMs?: number
  /** Whose memory this is. */
  owner?: Key
  /** Whose personal data it is; left out: the owner's. */
  subject?: Key
  /** What it was derived from. */
  sources?: readonly string[]
  /** Ids of the writes that made this row, newest first, at most {@link MAX_WRITE_IDS}. */
  writeIds?: readonly string[]
  /** What of the value is searched: dotted paths, none of them for nothing; left out: what the index says. */
  indexed?: readonly string[]
}

/** Rows that are edited keep the ids of so many writes, so that a writer can recognise its own under later ones. */
export const MAX_WRITE_IDS = 16

const FORMAT = 1
/** The first byte of every envelope: RFC 8949, section 3. */
const ARRAY_OF_THREE = 0x83
/** "Non-UTF-8 WTF-8 string" in the IANA registry of CBOR tags. */
const TAG_WTF8 = 273

interface Meta {
  c: number
  x?: number
  o?: string[]
  s?: string[]
  f?: string[]
  w?: string[]
  i?: string[]
}

/**
 * The envelope as deterministic CBOR (RFC 8949, section 4.2): the same input gives the same bytes. Throws `invalid_value`
 * for a value that CBOR has no form for; `normalise` says where it is.
 */
export function encodeEnvelope(envelope: Envelope): Bytes {
  const { createdAtMs, expiresAtMs, owner, subject, sources, writeIds, indexed } = envelope
  const meta: Meta = { c: createdAtMs }
  if (expiresAtMs !== undefined) meta.x = expiresAtMs
  if (owner !== undefined) meta.o = [...owner]
  if (subject !== undefined) meta.s = [...subject]
  if (sources !== undefined && sources.length > 0) meta.f = [...sources]
  if (writeIds !== undefined && writeIds.length > 0) meta.w = writeIds.slice(0, MAX_WRITE_IDS)
  if (indexed !== undefined) meta.i = [...indexed]
  try {
    return encode([FORMAT, envelope.value, meta], encodeOptions)
  } catch (cause) {
    throw new KeepsakeError('invalid_value', 'The value cannot be stored as it is: pass what normalise() returns.', {
      cause,
    })
  }
}

/**
 * Reads what {@link encodeEnvelope} wrote. Throws `unsupported` for a later format and `invalid_value` for other bytes,
 * which stay as they are in the store.
 */
export function decodeEnvelope(rec: Bytes): Envelope {
  const format = formatOf(rec)
  if (format > FORMAT) {
    throw new KeepsakeError(
      'unsupported',
      `This record has format ${format}; this version reads ${FORMAT}. Upgrade Keepsake.`,
      { details: { format, supported: FORMAT } },
    )
  }
  let decoded: unknown
  try {
    decoded = decode(rec, { ...decodeOptions, tokenizer: exactTokenizer(rec, decodeOptions) })
  } catch (cause) {
    throw notAnEnvelope(rec, cause)
  }
  if (format !== FORMAT || !Array.isArray(decoded) || decoded.length !== 3) throw notAnEnvelope(rec)
  const [, value, meta] = decoded as [number, Storable, unknown]
  if (!isMeta(meta)) throw notAnEnvelope(rec)
  return { value, ...fromMeta(meta) }
}

/**
 * What an envelope says about its value, without the value being read: costs the same for a value of any size that is a
 * text, and next to nothing for others. `undefined` for bytes that are not an envelope of this format.
 */
export function peekEnvelope(rec: Bytes): Omit<Envelope, 'value'> | undefined {
  if (formatOf(rec) !== FORMAT || rec[0] !== ARRAY_OF_THREE) return undefined
  const start = skipItem(rec, 2)
  if (start === undefined || skipItem(rec, start) !== rec.length) return undefined
  try {
    const meta: unknown = decode(rec.subarray(start), decodeOptions)
    return isMeta(meta) ? fromMeta(meta) : undefined
  } catch {
    return undefined
  }
}

const encodeOptions = {
  ...rfc8949EncodeOptions,
  typeEncoders: {
    number(value: number) {
      if (!Number.isFinite(value)) throw new TypeError(`the number ${value}`)
      // cborg writes -0 as the integer 0.
      return Object.is(value, -0) ? [new Token(Type.float, value)] : null
    },
    // cborg writes half of a surrogate pair as U+FFFD.
    string: (value: string) =>
      value.isWellFormed() ? null : [new Token(Type.tag, TAG_WTF8), new Token(Type.bytes, encodeWtf8(value))],
    // cborg has forms for these, and would read back something else.
    undefined: refuse,
    bigint: refuse,
    Map: refuse,
  },
}

function refuse(_value: unknown, type: string): never {
  throw new TypeError(type)
}

// Deterministic bytes have one form each; another one is damage.
const decodeOptions = {
  strict: true,
  allowIndefinite: false,
  allowUndefined: false,
  allowBigInt: false,
  allowNaN: false,
  allowInfinity: false,
  rejectDuplicateMapKeys: true,
  tags: { [TAG_WTF8]: decodeTag },
}

function decodeTag(content: () => unknown): string {
  const bytes = content()
  if (bytes instanceof Uint8Array) return decodeWtf8(bytes)
  throw new TypeError('a tag that is not around bytes')
}

/** The first item of the array that a record is, before anything else of it is read: later formats may differ in the rest. */
function formatOf(rec: Bytes): number {
  const [array = 0, format = 0] = rec
  // RFC 8949, section 3: major type 4 is an array; a byte below 24 is the number itself.
  return array >> 5 === 4 && format < 24 ? format : 0
}

function fromMeta(meta: Meta): Omit<Envelope, 'value'> {
  return {
    createdAtMs: meta.c,
    ...(meta.x !== undefined && { expiresAtMs: meta.x }),
    ...(meta.o !== undefined && { owner: meta.o }),
    ...(meta.s !== undefined && { subject: meta.s }),
    ...(meta.f !== undefined && { sources: meta.f }),
    ...(meta.w !== undefined && { writeIds: meta.w }),
    ...(meta.i !== undefined && { indexed: meta.i }),
  }
}

function isMeta(meta: unknown): meta is Meta {
  if (typeof meta !== 'object' || meta === null) return false
  const { c, x, o, s, f, w, i } = meta as Record<string, unknown>
  return typeof c === 'number' && (x === undefined || typeof x === 'number') && [o, s, f, w, i].every(isTexts)
}

function isTexts(list: unknown): boolean {
  return list === undefined || (Array.isArray(list) && list.every((text) => typeof text === 'string'))
}

function notAnEnvelope(rec: Bytes, cause?: unknown): KeepsakeError {
  return new KeepsakeError(
    'invalid_value',
    `A stored record of ${rec.length} bytes is not one of Keepsake's: it was written by something else, or damaged. It was left as it is.`,
    { cause },
  )
}

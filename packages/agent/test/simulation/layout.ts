import type { JSONValue, LanguageModelV4GenerateResult } from '@ai-sdk/provider'
import {
  decodeEnvelope,
  decodeTuple,
  descending,
  encodeTuple,
  fromDescending,
  type Range,
  type Row,
  type RowId,
} from '@keepsake/core'
import type { Seen } from './programs.ts'
import { answerText } from './simulated-model.ts'

/** The head, as far as invariants speak of it. */
export interface HeadView {
  kind: 'h'
  committed: { s: number; ep: number; eventId: string } | undefined
  /** Whether the committed state still has its working memory. */
  hasMemory: boolean
  lastS: number
  active:
    | {
        s: number
        ep: number
        eventId: string
        owner: string
        status: 'running' | 'suspended' | 'decided' | 'failed'
        /** Of the open question: where its answer is, where it is itself, and the fingerprint of what was asked. */
        answerKey: string | undefined
        questionKey: string | undefined
        questionHash: string | undefined
        /** Whether it failed because the handler was not the same when it was replayed. */
        diverged: boolean
      }
    | undefined
}

interface PlannedView {
  entity: string
  key: string
  /** The record's key, as a path. */
  path: string
  seq: number
  value: JSONValue
}

export interface CommitView {
  kind: 'c'
  s: number
  ep: number
  previous: { s: number; ep: number } | undefined
  eventId: string
  output: JSONValue
  plan: readonly PlannedView[]
}

interface JournalView {
  kind: 'j'
  s: number
  /** Where in its activation, as text. */
  place: string
  scope: string
  /** Fingerprint of what was asked. */
  hash: string
  /** What the handler was given; a question gives nothing by itself. */
  answered: Seen | undefined
}

interface RecordView {
  kind: 'r'
  path: string
  value: JSONValue
}

interface FileView {
  kind: 'f'
  content: string
}

export type RowView = HeadView | CommitView | JournalView | RecordView | FileView | { kind: string; other: true }

const NAMES: Record<string, string> = {
  h: 'head',
  c: 'commit',
  w: 'snapshot',
  j: 'journal',
  a: 'answer',
  e: 'event',
  d: 'dead letter',
  in: 'inbox',
  t: 'tail',
  q: 'ready',
  due: 'due',
  x: 'dead index',
  r: 'record',
  f: 'file',
  m: 'thread',
  i: 'thread',
  o: 'thread',
}

/** What a key of the protocol is for. Read off the text of the tuple: this is asked for every row of every call. */
function kindOfKey({ entity, key }: RowId): string {
  const area = key.slice(0, key.indexOf(END))
  if (key === THREAD_HEAD_KEY) return 'h'
  if (area === 'j' && key.endsWith(`${END}a${END}`)) return 'a'
  if (area === 'e' && entity.startsWith(`subject${END}`)) return 'directory'
  return area
}

/** What ends a segment of a tuple. */
const END = '\u0001'

/**
 * What a call is about, for the report: `commit+head`. Rows that only sometimes go along are not told apart: the snapshot
 * and the turn of a commit, the directory of a file, the memory that is loaded with an event, answers that a retry copies,
 * and all that a clean-up removes.
 */
export function kindsOf(method: 'load' | 'write' | 'remove', ids: readonly RowId[]): string {
  const kinds = new Set(ids.map((id) => NAMES[kindOfKey(id)] ?? kindOfKey(id)))
  const has = (...names: string[]): boolean => names.some((name) => kinds.has(name))
  if (method === 'load' && has('event') && has('dead letter')) return 'event+dead letter'
  if (method === 'remove' && has('journal', 'dead letter', 'answer')) return 'what is over'
  if (method === 'remove' && has('snapshot') && !has('commit')) return 'what is over'
  if (method === 'remove' && has('thread') && !has('commit')) return 'what is over'
  if (method === 'write' && has('journal')) kinds.delete('answer')
  if (has('file')) kinds.delete('directory')
  if (has('commit')) {
    kinds.delete('snapshot')
    kinds.delete('thread')
  }
  return [...kinds].toSorted().join('+')
}

export function kindOfScan(_entity: string, { prefix = '' }: Range): string {
  const area = prefix.split('\u0001')[0]!
  return NAMES[area] ?? (area === '' ? 'everything' : area)
}

export function commitKeyOf({ s, ep }: { s: number; ep: number }): string {
  return encodeTuple(['c', descending(s), String(ep)])
}

const HEAD_KEY: string = encodeTuple(['h'])
const THREAD_HEAD_KEY: string = encodeTuple(['m', '!'])

export function headKeyOf(entity: string): string {
  return entity.startsWith(`thread${END}`) ? THREAD_HEAD_KEY : HEAD_KEY
}

/** Where expired working memory is in long-term memory. */
export const FLUSH_KEY: string = encodeTuple(['r', 'working_memory'])

export interface FlushView {
  /** Version of the commit whose memory it is. */
  commit: number
  entries: [path: string, value: JSONValue][]
}

export function flushOf({ rec }: Pick<Row, 'rec'>): FlushView {
  const value = decodeEnvelope(rec).value as unknown as {
    commit: number
    entries: { key: string[]; value: JSONValue }[]
  }
  return { commit: value.commit, entries: value.entries.map((entry) => [entry.key.join('/'), entry.value]) }
}

/** Where an entity's memory file is. */
export const FILE_PATH = '/AGENTS.md'
export const FILE_KEY: string = encodeTuple(['f', 'AGENTS.md'])
export const FILE_END = 'end'

export function fileOwner(entity: string): string {
  return `files of ${entity}`
}

/** What was added to a memory file. */
export function linesOf(content: string): string[] {
  return content.split('\n').filter((line) => line !== FILE_END)
}

export function eventKeyOf(eventId: string): string {
  return encodeTuple(['e', eventId])
}

export function deadLetterKeyOf(eventId: string): string {
  return encodeTuple(['d', eventId])
}

interface StoredHead {
  committed?: { s: number; ep: number; eventId: string }
  memory?: object
  lastS: number
  active?: {
    s: number
    ep: number
    event: { id: string }
    owner: string
    status: 'running' | 'suspended' | 'decided' | 'failed'
    question?: { scope: string; ordinal: number; hash: string }
    failure?: { kind: string }
  }
}

/** What was read of a record: the same bytes are looked at many times. */
const views = new WeakMap<Uint8Array, RowView>()

export function headOf(row: Pick<Row, 'rec'>): HeadView {
  const view = (views.get(row.rec) as HeadView | undefined) ?? readHead(row)
  views.set(row.rec, view)
  return view
}

function readHead(row: Pick<Row, 'rec'>): HeadView {
  const { committed, memory, lastS, active } = decodeEnvelope(row.rec).value as unknown as StoredHead
  const question = active?.question
  return {
    kind: 'h',
    committed,
    hasMemory: memory !== undefined,
    lastS,
    active: active && {
      s: active.s,
      ep: active.ep,
      eventId: active.event.id,
      owner: active.owner,
      status: active.status,
      answerKey: question && encodeTuple(['j', hex(active.s), question.scope, hex(question.ordinal), 'a']),
      questionKey: question && encodeTuple(['j', hex(active.s), question.scope, hex(question.ordinal)]),
      questionHash: question?.hash,
      diverged: active.failure?.kind === 'replay_diverged',
    },
  }
}

/** What a row says, by its key alone and the bytes that are documented for it. */
export function readRow(row: Pick<Row, 'entity' | 'key' | 'rec'>): RowView {
  const view = views.get(row.rec) ?? read(row)
  views.set(row.rec, view)
  return view
}

function read(row: Pick<Row, 'entity' | 'key' | 'rec'>): RowView {
  const kind = kindOfKey(row)
  if (kind === 'h') return readHead(row)
  if (kind === 'c') return commitOf(row, decodeTuple(row.key))
  if (kind === 'j') {
    const segments = decodeTuple(row.key)
    if (segments.length === 4) return entryOf(row, segments)
  }
  if (kind === 'r') return recordOf(row.key, row.rec)
  if (kind === 'f') return { kind, content: (decodeEnvelope(row.rec).value as { text: string }).text }
  return { kind, other: true }
}

function commitOf(row: Pick<Row, 'rec'>, [, s, ep]: readonly string[]): CommitView {
  const stored = decodeEnvelope(row.rec).value as unknown as {
    previous?: { s: number; ep: number }
    eventId: string
    output?: JSONValue
    plan?: { entity: string; rows: { key: string; rec: Uint8Array; seq: number }[] }
  }
  const { previous, eventId, output = null, plan } = stored
  const planned = (plan?.rows ?? []).map(({ key, rec, seq }) => ({
    entity: plan!.entity,
    key,
    seq,
    path: pathOf(key),
    value: recordOf(key, rec).value,
  }))
  return { kind: 'c', s: fromDescending(s!), ep: Number(ep), previous, eventId, output, plan: planned }
}

function entryOf(row: Pick<Row, 'rec'>, [, s, scope, ordinal]: readonly string[]): JournalView {
  const stored = decodeEnvelope(row.rec).value as unknown as {
    hash: string
    result?: JSONValue
    failure?: { message: string }
    question?: JSONValue
  }
  return {
    kind: 'j',
    s: Number.parseInt(s!, 16),
    place: placeText(scope!, Number.parseInt(ordinal!, 16)),
    scope: scope!,
    hash: stored.hash,
    answered: stored.question === undefined ? answered(stored) : undefined,
  }
}

/** Names a place of a journal. */
export function placeText(scope: string, ordinal: number): string {
  return `${scope}:${ordinal}`
}

function answered({ result = null, failure }: { result?: JSONValue; failure?: { message: string } }): Seen {
  if (failure !== undefined) return { error: failure.message }
  const isAnswer = typeof result === 'object' && result !== null && 'finishReason' in result
  return { value: isAnswer ? answerText(result as unknown as LanguageModelV4GenerateResult) : result }
}

function recordOf(key: string, rec: Uint8Array): RecordView {
  const value = rec.length === 0 ? null : (decodeEnvelope(rec).value as JSONValue)
  return { kind: 'r', path: pathOf(key), value }
}

function pathOf(key: string): string {
  return decodeTuple(key).slice(1).join('/')
}

function hex(n: number): string {
  return n.toString(16).padStart(14, '0')
}

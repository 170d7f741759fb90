import type { AnalysedDocument } from './analysed-document.ts'
import { keep, placesOf, renumber } from './compact.ts'
import { createColumn, push, type Column } from './column.ts'
import { dayOf } from './query-cues.ts'
import { weights } from './weights.ts'

/** Where a term stands: the passage in the upper bits, how often in the lower six (63 stands for more). */
type Postings = Column
export const TIMES_BITS = 6
export const MOST_TIMES = 63

/**
 * Documents of one scope, laid out for ranking: numbers in columns, one for every document or passage, and for every term
 * where it stands. Removed documents leave their rows, which are taken out together once they are as many as the others.
 */
export interface Corpus {
  readonly postings: ReadonlyMap<string, Postings>
  /** By document. */
  readonly ids: readonly string[]
  readonly firstPassage: Column
  readonly passages: Column
  /** The documents next to it in its session; -1 for none. */
  readonly before: Column
  readonly after: Column
  readonly sessionOf: Column
  readonly speakerOf: Column
  readonly flags: Column
  /** The day as {@link dayOf} has it; 0 for none. */
  readonly days: Column
  /** By passage. -1 when it was removed. */
  readonly documentOf: Column
  readonly passageTerms: Column
  /** The last document of every session; -1 when all were removed. */
  readonly sessions: readonly number[]
  /** Speakers by each word of their names, lower case. */
  readonly speakersNamed: ReadonlyMap<string, readonly number[]>
  /** Terms in all passages, removed ones included. */
  readonly terms: number
  /** Documents that are there. */
  readonly size: number
  /** The document of an id. */
  find(id: string): number | undefined
  /** Puts documents that came out of order next to their neighbours. To be called before neighbours are looked at. */
  settle(): void
  /** Adds a document, in place of one with the same id. Of its terms, only `wanted` ones. */
  add(document: AnalysedDocument, wanted?: ReadonlySet<string>): void
  remove(id: string): void
}

export const USER = 1
export const SAYS_WHEN = 2
export const QUESTION = 4
/** Few enough terms to lend them to its neighbours. */
export const LENDS = 8

/** Removed documents that are not worth the work of taking them out. */
const LEAST_REMOVED = 500

/** With `known` speakers beside those of its documents. */
export function createCorpus(known: readonly string[] = []): Corpus {
  const postings = new Map<string, Postings>()
  const byId = new Map<string, number>()
  let ids: string[] = []
  const [firstPassage, passages, documentOf, passageTerms] = [
    createColumn(),
    createColumn(),
    createColumn(),
    createColumn(),
  ]
  const [before, after, sessionOf, speakerOf, flags, days] = [
    createColumn(),
    createColumn(),
    createColumn(),
    createColumn(),
    createColumn(),
    createColumn(),
  ]
  let positions: number[] = []
  const sessions: number[] = []
  /** By session: documents whose place is before its last one, until they are settled. */
  const late = new Map<number, Set<number>>()
  const sessionIndexes = new Map<string, number>()
  const speakers = new Map<string, number>()
  const speakersNamed = new Map<string, number[]>()
  let terms = 0

  function addPassage(document: number, passage: readonly string[], wanted?: ReadonlySet<string>): void {
    const posting = (documentOf.length << TIMES_BITS) + 1
    push(documentOf, document)
    push(passageTerms, passage.length)
    terms += passage.length
    for (const term of passage) {
      if (wanted !== undefined && !wanted.has(term)) continue
      let list = postings.get(term)
      if (list === undefined) {
        list = { values: new Int32Array(2), length: 0 }
        postings.set(term, list)
      }
      const last = list.values[list.length - 1] ?? -1
      if (last < posting) push(list, posting)
      else if ((last & MOST_TIMES) < MOST_TIMES) list.values[list.length - 1] = last + 1
    }
  }

  /** Puts a document at the end of its session, or among those that come late there. */
  function link(document: number, { session: name, position }: AnalysedDocument): void {
    const session = name === undefined ? -1 : (sessionIndexes.get(name) ?? addSession(name))
    const last = sessions[session] ?? -1
    const place = position ?? (last < 0 ? 0 : positions[last]! + 1)
    positions.push(place)
    push(sessionOf, session)
    push(before, -1)
    push(after, -1)
    if (session < 0) return
    if (last < 0 || positions[last]! <= place) insert(document, last, -1)
    else {
      const those = late.get(session)
      if (those === undefined) late.set(session, new Set([document]))
      else those.add(document)
    }
  }

  function insert(document: number, left: number, right: number): void {
    before.values[document] = left
    after.values[document] = right
    if (left >= 0) after.values[left] = document
    if (right >= 0) before.values[right] = document
    else sessions[sessionOf.values[document]!] = document
  }

  /** All of a session at once, from its end: one by one each would go past everything that comes after it. */
  function settle(): void {
    for (const [session, documents] of late) {
      let [left, right] = [sessions[session]!, -1]
      for (const document of [...documents].toSorted(fromTheEnd)) {
        while (left >= 0 && fromTheEnd(left, document) < 0) {
          right = left
          left = before.values[left]!
        }
        insert(document, left, right)
        right = document
      }
    }
    late.clear()
  }

  /** Negative if `a` stands behind `b`: by position, and what was added later behind what was added earlier. */
  function fromTheEnd(a: number, b: number): number {
    return positions[b]! - positions[a]! || b - a
  }

  function addSession(name: string): number {
    sessionIndexes.set(name, sessions.length)
    return sessions.push(-1) - 1
  }

  function speakerIndex(name: string): number {
    const there = speakers.get(name)
    if (there !== undefined) return there
    const index = speakers.size
    speakers.set(name, index)
    for (const word of new Set(name.toLowerCase().match(/[\p{L}\p{M}\p{N}]{2,}/gu))) {
      speakersNamed.set(word, [...(speakersNamed.get(word) ?? []), index])
    }
    return index
  }

  function remove(id: string): void {
    const document = byId.get(id)
    if (document === undefined) return
    byId.delete(id)
    const session = sessionOf.values[document]!
    if (late.get(session)?.delete(document) !== true) {
      // One that came late may be the last then.
      if (sessions[session] === document) settle()
      const [left, right] = [before.values[document]!, after.values[document]!]
      if (left >= 0) after.values[left] = right
      if (right >= 0) before.values[right] = left
      else if (session >= 0) sessions[session] = left
    }
    const first = firstPassage.values[document]!
    for (let passage = first; passage < first + passages.values[document]!; passage++) {
      documentOf.values[passage] = -1
    }
  }

  function compact(): void {
    if (ids.length < 2 * (byId.size + LEAST_REMOVED)) return
    settle()
    const documents = placesOf(ids.length, (row) => byId.get(ids[row]!) === row)
    const rows = placesOf(documentOf.length, (row) => documentOf.values[row]! >= 0)
    for (const [term, list] of postings) {
      let length = 0
      for (let n = 0; n < list.length; n++) {
        const row = rows[list.values[n]! >> TIMES_BITS]!
        if (row >= 0) list.values[length++] = (row << TIMES_BITS) | (list.values[n]! & MOST_TIMES)
      }
      list.length = length
      if (length === 0) postings.delete(term)
    }
    for (const column of [documentOf, passageTerms]) keep(column, rows)
    renumber(documentOf, documents)
    terms = passageTerms.values.subarray(0, passageTerms.length).reduce((sum, count) => sum + count, 0)
    for (const column of [firstPassage, passages, before, after, sessionOf, speakerOf, flags, days])
      keep(column, documents)
    renumber(firstPassage, rows)
    renumber(before, documents)
    renumber(after, documents)
    ids = ids.filter((_, row) => documents[row]! >= 0)
    positions = positions.filter((_, row) => documents[row]! >= 0)
    for (const [row, id] of ids.entries()) byId.set(id, row)
    for (const [n, last] of sessions.entries()) if (last >= 0) sessions[n] = documents[last]!
  }

  for (const name of known) speakerIndex(name)

  return {
    postings,
    get ids() {
      return ids
    },
    firstPassage,
    passages,
    before,
    after,
    sessionOf,
    speakerOf,
    flags,
    days,
    documentOf,
    passageTerms,
    sessions,
    speakersNamed,
    get terms() {
      return terms
    },
    get size() {
      return byId.size
    },
    find: (id) => byId.get(id),
    settle,

    remove(id) {
      remove(id)
      compact()
    },

    add(document, wanted) {
      remove(document.id)
      compact()
      const index = ids.push(document.id) - 1
      byId.set(document.id, index)
      push(firstPassage, documentOf.length)
      push(passages, document.passages.length)
      let length = 0
      for (const passage of document.passages) {
        addPassage(index, passage, wanted)
        length += passage.length
      }
      link(index, document)
      push(speakerOf, document.speaker === undefined ? -1 : speakerIndex(document.speaker))
      push(days, document.atMs === undefined ? 0 : dayOf(document.atMs))
      push(
        flags,
        (document.role === 'user' ? USER : 0) +
          (document.saysWhen ? SAYS_WHEN : 0) +
          (document.question ? QUESTION : 0) +
          (length <= weights.neighbourTerms ? LENDS : 0),
      )
    },
  }
}

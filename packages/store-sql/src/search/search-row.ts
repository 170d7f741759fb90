import type { AnalysedDocument, Candidate } from '@keepsake/core'
import { decodeEnvelope, encodeEnvelope, type SearchDocument, type Storable } from '@keepsake/core'

/** What a table keeps of a document beside its version and its vectors. */
export interface SearchRow {
  id: string
  speaker: string | null
  role: string | null
  session: string | null
  /** Left out by the document: after what is there. */
  position: number | null
  atMs: number | null
  flags: number
  /** The terms of a passage parted by spaces, the passages by line ends. */
  terms: string
  /** Terms in all passages. */
  length: number
  passages: number
  /** An envelope, so that every value comes back as it was. */
  value: Uint8Array | null
}

const QUESTION = 1
const SAYS_WHEN = 2

export function toSearchRow({ value }: SearchDocument, analysed: AnalysedDocument): SearchRow {
  const { id, speaker, role, session, position, atMs, question, saysWhen, passages } = analysed
  return {
    id,
    speaker: text(speaker),
    role: text(role),
    session: text(session),
    position: position ?? null,
    atMs: atMs ?? null,
    flags: (question ? QUESTION : 0) + (saysWhen ? SAYS_WHEN : 0),
    terms: passages.map((terms) => terms.join(' ')).join('\n'),
    length: passages.reduce((sum, terms) => sum + terms.length, 0),
    passages: passages.length,
    value: value === undefined ? null : encodeEnvelope({ value, createdAtMs: 0 }),
  }
}

/** The document of a row, to be ranked. */
export function toCandidate(row: SearchRow & { seq: number | null; similarity?: number | null }): Candidate {
  const { id, speaker, role, session, position, atMs, flags, terms, value, seq, similarity } = row
  return {
    document: {
      id,
      passages: terms.split('\n').map((passage) => (passage === '' ? [] : passage.split(' '))),
      question: (flags & QUESTION) !== 0,
      saysWhen: (flags & SAYS_WHEN) !== 0,
      ...(speaker !== null && { speaker }),
      ...(role !== null && { role }),
      ...(session !== null && { session }),
      ...(position !== null && { position }),
      ...(atMs !== null && { atMs }),
    },
    ...(seq !== null && { seq }),
    ...(value !== null && { value: valueOf(value) }),
    ...(typeof similarity === 'number' && { similarity }),
  }
}

function valueOf(bytes: Uint8Array): Storable {
  return decodeEnvelope(bytes).value
}

/** No database keeps halves of characters, and PostgreSQL no U+0000. */
function text(value: string | undefined): string | null {
  return value === undefined ? null : value.toWellFormed().replaceAll('\0', ' ')
}

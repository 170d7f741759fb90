import type { AnalysedQuery } from './analysed-query.ts'
import { LENDS, MOST_TIMES, QUESTION, SAYS_WHEN, TIMES_BITS, USER, type Corpus } from './corpus.ts'
import { dateFit } from './query-cues.ts'
import { weights } from './weights.ts'

/** What a ranking needs to know of all documents, where the corpus holds only some of them. */
export interface CorpusStatistics {
  passages: number
  meanTerms: number
  sessions: number
  /** In how many passages a term stands. */
  passagesWith(term: string): number
}

/** Scores by words: every document that has any, and what each got. */
export interface WordScores {
  /** Indexes into the corpus. Only these have a score. */
  documents: Int32Array
  /** By document. These are the scratch's own. */
  scores: Float32Array
  /** What the best match by words may have: scores beside it are shares of it. */
  best: number
}

/** Room to add up in, as large as the corpus; zero everywhere between two rankings. */
export interface Scratch {
  passage: Float32Array
  term: Float32Array
  document: Float32Array
  session: Float32Array
  sessionTerm: Float32Array
  /** Lists of documents and of passages. */
  documents: Int32Array
  touched: Int32Array
  here: Int32Array
}

export function createScratch(): Scratch {
  const none = new Float32Array()
  return {
    passage: none,
    term: none,
    document: none,
    session: none,
    sessionTerm: none,
    documents: new Int32Array(),
    touched: new Int32Array(),
    here: new Int32Array(),
  }
}

/**
 * Scores documents by BM25 of their best passage, with what neighbours in the session lend, and by what they know about
 * themselves: who said it, when, and whether it answers a question. Linear in the postings of the query's terms.
 */
export function rankByWords(
  corpus: Corpus,
  query: AnalysedQuery,
  scratch: Scratch,
  statistics: CorpusStatistics = statisticsOf(corpus),
): WordScores {
  corpus.settle()
  grow(scratch, corpus)
  const { passage: passageScores, term: times, document: scores, session: sessionScores, sessionTerm } = scratch
  const { touched, here } = scratch
  const sessions = corpus.sessions.length
  const documentOf = corpus.documentOf.values
  const passageTerms = corpus.passageTerms.values
  const firstPassage = corpus.firstPassage.values
  const passages = corpus.passages.values
  const before = corpus.before.values
  const after = corpus.after.values
  const sessionOf = corpus.sessionOf.values
  const flags = corpus.flags.values
  const named = namedSpeakers(corpus, query)
  const { k1, b } = weights
  const [next, afterNext] = weights.neighbours
  let touchedCount = 0
  let hereCount = 0

  const lend = (document: number, count: number): void => {
    const first = firstPassage[document]!
    const end = first + passages[document]!
    for (let passage = first; passage < end; passage++) {
      if (times[passage] === 0) here[hereCount++] = passage
      times[passage]! += count
    }
  }

  for (const term of named.terms) {
    const list = corpus.postings.get(term)
    if (list === undefined) continue
    const idf = inverseFrequency(statistics.passages, statistics.passagesWith(term))
    const hereSessions: number[] = []
    hereCount = 0
    const { values, length } = list
    for (let n = 0; n < length; n++) {
      const passage = values[n]! >> TIMES_BITS
      const document = documentOf[passage]!
      if (document < 0) continue
      const count = values[n]! & MOST_TIMES
      if (times[passage] === 0) here[hereCount++] = passage
      times[passage]! += count
      const session = sessionOf[document]!
      if (session < 0) continue
      if (sessionTerm[session] === 0) hereSessions.push(session)
      sessionTerm[session]! += count
      if ((flags[document]! & LENDS) === 0) continue
      const left = before[document]!
      if (left >= 0) {
        lend(left, next * count)
        const further = before[left]!
        if (further >= 0) lend(further, afterNext * count)
      }
      const right = after[document]!
      if (right >= 0) {
        lend(right, next * count)
        const further = after[right]!
        if (further >= 0) lend(further, afterNext * count)
      }
    }
    const base = k1 * (1 - b)
    const perTerm = (k1 * b) / statistics.meanTerms
    const most = idf * (k1 + 1)
    for (let n = 0; n < hereCount; n++) {
      const passage = here[n]!
      const found = times[passage]!
      if (passageScores[passage] === 0) touched[touchedCount++] = passage
      passageScores[passage]! += (most * found) / (found + base + perTerm * passageTerms[passage]!)
      times[passage] = 0
    }
    const sessionIdf = inverseFrequency(statistics.sessions, hereSessions.length)
    for (const session of hereSessions) {
      const found = sessionTerm[session]!
      // Sessions are about as long as each other; how long makes no difference that could be measured.
      sessionScores[session]! += (sessionIdf * found * (k1 + 1)) / (found + k1)
      sessionTerm[session] = 0
    }
  }

  const { documents } = scratch
  let count = 0
  for (let n = 0; n < touchedCount; n++) {
    const passage = touched[n]!
    const document = documentOf[passage]!
    const score = scores[document]!
    if (score === 0) documents[count++] = document
    if (passageScores[passage]! > score) scores[document] = passageScores[passage]!
    passageScores[passage] = 0
  }

  const { user, speaker, when, answer } = weights
  const speakerOf = corpus.speakerOf.values
  const days = corpus.days.values
  const anySpeaker = named.speakers.size > 0
  const gains: [document: number, gain: number][] = []
  for (let n = 0; n < count; n++) {
    const document = documents[n]!
    const has = flags[document]!
    let factor = 1
    if ((has & USER) !== 0) factor = user
    if (anySpeaker && named.speakers.has(speakerOf[document]!)) factor *= speaker
    if (query.asksWhen && (has & SAYS_WHEN) !== 0) factor *= when
    if (query.date !== undefined && days[document]! > 0)
      factor *= 1 + weights.date * dateFit(query.date, days[document]!)
    scores[document]! *= factor
    // A question's score goes on to what answers it, if they share a subject: it has a score already.
    const reply = after[document]!
    if ((has & QUESTION) !== 0 && reply >= 0 && scores[reply]! > 0) gains.push([reply, answer * scores[document]!])
  }
  for (const [document, gain] of gains) scores[document]! += gain

  let best = 0
  for (let n = 0; n < count; n++) best = Math.max(best, scores[documents[n]!]!)
  let bestSession = 0
  for (let n = 0; n < sessions; n++) bestSession = Math.max(bestSession, sessionScores[n]!)
  if (bestSession > 0) {
    const share = (weights.session * best) / bestSession
    for (let n = 0; n < count; n++) {
      const document = documents[n]!
      const session = sessionOf[document]!
      if (session >= 0) scores[document]! += share * sessionScores[session]!
    }
    sessionScores.fill(0, 0, sessions)
    best *= 1 + weights.session
  }
  return { documents: documents.subarray(0, count), scores, best }
}

/** Makes the scratch ready for the next ranking. */
export function clearScores({ documents, scores }: WordScores): void {
  for (const document of documents) scores[document] = 0
}

function statisticsOf(corpus: Corpus): CorpusStatistics {
  const passages = corpus.documentOf.length
  return {
    passages,
    meanTerms: Math.max(1, corpus.terms / Math.max(1, passages)),
    sessions: corpus.sessions.length,
    passagesWith: (term) => corpus.postings.get(term)?.length ?? 0,
  }
}

function inverseFrequency(all: number, having: number): number {
  return Math.log(1 + (Math.max(all, having) - having + 0.5) / (having + 0.5))
}

/** The speakers that a query names, and its terms without their names: who said it is no word of what was said. */
export function namedSpeakers(
  { speakersNamed }: Pick<Corpus, 'speakersNamed'>,
  query: AnalysedQuery,
): { speakers: ReadonlySet<number>; terms: readonly string[] } {
  const speakers = new Set<number>()
  const names = new Set<string>()
  for (const [word, term] of query.words) {
    const named = speakersNamed.get(word)
    if (named === undefined) continue
    for (const speaker of named) speakers.add(speaker)
    if (term !== undefined) names.add(term)
  }
  const terms = query.terms.filter((term) => !names.has(term))
  return { speakers, terms: terms.length === 0 ? query.terms : terms }
}

function grow(scratch: Scratch, corpus: Corpus): void {
  scratch.passage = fit(scratch.passage, corpus.documentOf.length)
  scratch.term = fit(scratch.term, corpus.documentOf.length)
  if (scratch.here.length < scratch.term.length) {
    scratch.here = new Int32Array(scratch.term.length)
    scratch.touched = new Int32Array(scratch.term.length)
    scratch.documents = new Int32Array(scratch.term.length)
  }
  scratch.document = fit(scratch.document, corpus.ids.length)
  scratch.session = fit(scratch.session, corpus.sessions.length)
  scratch.sessionTerm = fit(scratch.sessionTerm, corpus.sessions.length)
}

function fit(room: Float32Array, size: number): Float32Array {
  return room.length >= size ? room : new Float32Array(Math.ceil(size * 1.5))
}

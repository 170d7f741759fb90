import { isQuestion, saysWhen } from './query-cues.ts'
import type { SearchContext, SearchDocument } from './search-index.ts'
import type { Analyser } from './terms.ts'

/** A document as it is ranked. */
export interface AnalysedDocument extends SearchContext {
  id: string
  /** The terms of each passage; at least one passage, which may be empty. */
  passages: readonly (readonly string[])[]
  question: boolean
  saysWhen: boolean
}

/** Words in a passage. A long text matches by its best passage, not by all that it says. */
const PASSAGE_WORDS = 60
/** Passages of one text at most: 30,000 words. What is behind them is not found by its words. */
const MOST_PASSAGES = 500
/** A text of so many characters has few enough words. */
const SHORT_CHARACTERS = 240

/** Characters of a name of a session, speaker or role. What is longer is no name, and databases cannot index it. */
const MAX_NAME_CHARACTERS = 500

export function analyseDocument(document: SearchDocument, analyser: Analyser): AnalysedDocument {
  const { id, text, position, atMs } = document
  const [speaker, role, session] = [document.speaker, document.role, document.session].map(nameOf)
  return {
    id,
    passages: passagesOf(text, analyser),
    question: isQuestion(text),
    saysWhen: saysWhen(text),
    ...(speaker !== undefined && { speaker }),
    ...(role !== undefined && { role }),
    ...(session !== undefined && { session }),
    ...(position !== undefined && { position }),
    ...(atMs !== undefined && { atMs }),
  }
}

function nameOf(name: string | undefined): string | undefined {
  return name === undefined || name.length > MAX_NAME_CHARACTERS ? undefined : name
}

/** The terms of a text, cut where sentences end into passages of at most 60 words. */
function passagesOf(text: string, analyser: Analyser): string[][] {
  if (text.length <= SHORT_CHARACTERS) return [analyser.terms(text)]
  const passages: string[][] = []
  let terms: string[] = []
  let count = 0
  const end = (): void => {
    if (count > 0) passages.push(terms)
    terms = []
    count = 0
  }
  for (const sentence of text.split(/(?<=[.!?。！？]["')\]]*)\s+|\n+|(?<=[。！？])/)) {
    const words = analyser.words(sentence)
    if (count + words.length > PASSAGE_WORDS) end()
    if (passages.length === MOST_PASSAGES) return passages
    for (const word of words) {
      if (count === PASSAGE_WORDS) end()
      count++
      const term = analyser.term(word)
      if (term !== undefined) terms.push(term)
    }
  }
  end()
  return passages.length === 0 ? [[]] : passages.slice(0, MOST_PASSAGES)
}

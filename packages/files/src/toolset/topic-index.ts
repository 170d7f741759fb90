import { identifiersOf, termReader } from './topic-terms.ts'

/** A file that can be picked by what it is about. */
export interface TopicText {
  path: string
  /** One line, from the front matter; empty for none. */
  description: string
  /** What the file says. */
  body: string
}

export interface TopicIndex {
  /** The files that a text is about, the best first, at most `limit`; none if it has nothing in common with any. */
  pick(text: string, limit: number): string[]
  /** The words that tell a file from the others, beside those of its path; the most telling first. */
  keywords(path: string, limit: number): string[]
  /** Pairs of files of which the smaller says little that the other does not, the closest first. */
  nearDuplicates(): { paths: [string, string]; similarity: number }[]
}

/** How much more a term counts that stands in the description or in the path. */
const DESCRIPTION_WEIGHT = 3
const PATH_WEIGHT = 3
/** BM25: how soon more of the same word says no more, and how much long files pay for their length. */
const K1 = 1.2
const B = 0.5
/** The share of what a text asks for that a file must have; less is chance. */
const MIN_SHARE = 0.35
/** What the name and the description of a file say, it is about. */
const TITLE_SHARE = 2
/** So many terms are a question. A longer text says more than it asks. */
const ASKED_TERMS = 8
/** Terms of a text that count, the rarest: a whole conversation may be asked with. */
const MAX_QUERY_TERMS = 64
/** From here on two files are said to be nearly the same. */
const MIN_SIMILARITY = 0.6

interface Posting {
  file: number
  weight: number
  /** Whether it stands in the path or the description. */
  isTitle: boolean
}

/**
 * An index of topic files by their names, descriptions and all words of their contents, and by identifiers, which
 * outrank words. Building it takes time in proportion to the text, about 10 MB a second; a pick looks at the files that
 * share a term.
 */
export function topicIndex(topics: readonly TopicText[], stopWords: readonly string[] = []): TopicIndex {
  const reader = termReader(stopWords)
  const postings = new Map<string, Posting[]>()
  const named = new Map<string, number[]>()
  const weights = topics.map((topic, file) => indexTopic(topic, file))
  const lengths = weights.map((terms) => [...terms.values()].reduce((sum, weight) => sum + weight, 0))
  const meanLength = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length) || 1
  const numbers = new Map(topics.map(({ path }, file) => [path, file]))

  function indexTopic({ path, description, body }: TopicText, file: number): Map<string, number> {
    const terms = new Map<string, number>()
    const add = (text: string, weight: number): void => {
      for (const term of reader.terms(text)) terms.set(term, (terms.get(term) ?? 0) + weight)
    }
    add(path.replace(/\.md$/, ''), PATH_WEIGHT)
    add(description, DESCRIPTION_WEIGHT)
    const title = new Set(terms.keys())
    add(body, 1)
    for (const [term, weight] of terms) addTo(postings, term, { file, weight, isTitle: title.has(term) })
    for (const name of identifiersOf(`${path.split('/').join(' ')} ${description} ${body}`)) addTo(named, name, file)
    return terms
  }

  const rarity = (files: number): number => Math.log(1 + (topics.length - files + 0.5) / (files + 0.5))

  function scoreWords(text: string, scores: Map<number, number>): void {
    const terms = [...new Set(reader.terms(text))]
      .map((term) => ({ found: postings.get(term) ?? [], idf: rarity(postings.get(term)?.length ?? 0) }))
      .toSorted((a, b) => b.idf - a.idf)
      .slice(0, MAX_QUERY_TERMS)
    const asked = terms.slice(0, ASKED_TERMS).reduce((sum, { idf }) => sum + 1 + idf, 0)
    const shares = new Map<number, number>()
    for (const { found, idf } of terms) {
      for (const { file, weight, isTitle } of found) {
        const length = 1 - B + (B * lengths[file]!) / meanLength
        scores.set(file, (scores.get(file) ?? 0) + (idf * weight * (K1 + 1)) / (weight + K1 * length))
        shares.set(file, (shares.get(file) ?? 0) + ((isTitle ? TITLE_SHARE : 1) * (1 + idf)) / asked)
      }
    }
    for (const [file, share] of shares) if (share < MIN_SHARE) scores.delete(file)
  }

  /** What is named exactly comes before all that only shares words. */
  function scoreNames(text: string, scores: Map<number, number>): void {
    const best = Math.max(0, ...scores.values()) + 1
    for (const name of identifiersOf(text)) {
      const found = named.get(name) ?? []
      for (const file of found) scores.set(file, (scores.get(file) ?? 0) + best * rarity(found.length))
    }
  }

  return {
    pick(text, limit) {
      const scores = new Map<number, number>()
      scoreWords(text, scores)
      scoreNames(text, scores)
      return [...scores]
        .toSorted(([a, score], [b, other]) => other - score || a - b)
        .slice(0, limit)
        .map(([file]) => topics[file]!.path)
    },

    keywords(path, limit) {
      const terms = weights[numbers.get(path) ?? -1] ?? new Map<string, number>()
      const ofPath = new Set(reader.terms(path))
      return [...terms]
        .filter(([term]) => !ofPath.has(term))
        .map(([term, weight]) => ({ term, score: (1 + Math.log(weight)) * rarity(postings.get(term)!.length) }))
        .toSorted((a, b) => b.score - a.score || (a.term < b.term ? -1 : 1))
        .slice(0, limit)
        .map(({ term }) => reader.wordOf(term))
    },

    nearDuplicates() {
      const shared = new Map<number, number>()
      const maxFiles = Math.max(3, Math.ceil(topics.length / 20))
      for (const found of postings.values()) {
        // What many files have tells no two of them apart from the rest, and there would be files times files pairs.
        if (found.length < 2 || found.length > maxFiles) continue
        for (const [index, { file }] of found.entries()) {
          for (const other of found.slice(index + 1)) {
            const pair = file * topics.length + other.file
            shared.set(pair, (shared.get(pair) ?? 0) + 1)
          }
        }
      }
      return [...shared.keys()]
        .map((pair) => {
          const [a, b] = [Math.floor(pair / topics.length), pair % topics.length]
          return {
            paths: [topics[a]!.path, topics[b]!.path] as [string, string],
            similarity: overlap(weights[a]!, weights[b]!),
          }
        })
        .filter(({ similarity }) => similarity >= MIN_SIMILARITY)
        .toSorted((a, b) => b.similarity - a.similarity)
    },
  }
}

/** The share of the smaller file's terms that the other has, too. */
function overlap(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  const [small, large] = a.size <= b.size ? [a, b] : [b, a]
  if (small.size === 0) return 0
  let shared = 0
  for (const term of small.keys()) if (large.has(term)) shared++
  return shared / small.size
}

function addTo<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const values = map.get(key)
  if (values === undefined) map.set(key, [value])
  else values.push(value)
}

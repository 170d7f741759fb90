/**
 * What counts for how much. Chosen together on two sets that differ as much as could be had, short chats of two people
 * and long answers of an assistant to one (docs/recall.md): a value that helps one of them alone is not here.
 */
export const weights = {
  /** How soon a term that is said again stops counting. */
  k1: 1.2,
  /** How much a long passage is held against it. */
  b: 0.6,
  /** A neighbour's terms, as if they were said so often here: one and two places before or after. */
  neighbours: [0.35, 0.2],
  /** Terms in a neighbour that lends them. What is longer has its own subject. */
  neighbourTerms: 20,
  /** The query names the speaker. */
  speaker: 1.8,
  /** The user's own words. */
  user: 2,
  /** The query asks for a time and the memory names one. */
  when: 1.6,
  /** The query names a date and the memory is of it: so much more. */
  date: 1,
  /** The share of a question's score that the answer after it gets. */
  answer: 0.3,
  /** What the best session adds to its memories, as a share of the best memory's score. */
  session: 0.25,
  /** What vectors add, where the best match by words is 1 and a perfect match by vector is 1. */
  vector: 0.5,
} as const

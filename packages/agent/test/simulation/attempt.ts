import type { JSONValue } from '@ai-sdk/provider'
import { ANSWERERS, answerTo, type Program, type Seen } from './programs.ts'
import type { Worker } from './scheduler.ts'
import { Violation } from './violation.ts'

/** One pass of the handler, as it saw the world. */
export interface Attempt {
  readonly worker: Worker
  readonly entity: string
  readonly s: number
  readonly event: { readonly id: string; readonly data: Program }
  /** What was answered, by place. */
  readonly seen: Map<string, Seen>
  /** Of these, what was read from outside, and in which scope. */
  readonly reads: Map<string, Seen>
  readonly readIn: Map<string, string>
  /** Where in the journal each place is that asks, as text: its scope and ordinal. */
  readonly ordinals: Map<string, string>
  /** How many places the handler itself has taken. */
  taken: number
  /** What was asked, by place. */
  readonly questions: Map<string, JSONValue>
}

/** What was stored first at a place of a journal. */
export interface FirstEntry {
  /** The pass of the handler that made it. */
  by: Attempt | undefined
  /** How many rows had changed before it. */
  change: number
  answered: string | undefined
  /** What its attempt had read from outside by then, in its scope and those around it. */
  reads: ReadonlyMap<string, Seen>
}

/** What an entry of a scope is made of. Scopes beside it do not count, and those around it say a whole name's beginning. */
export function readsFor({ reads, readIn }: Attempt, scope: string): ReadonlyMap<string, Seen> {
  return new Map([...reads].filter(([place]) => scope.startsWith(readIn.get(place)!)))
}

/** What the decision was built from is what is in the journal. */
export function checkEntries(attempt: Attempt, firstAt: (place: string) => FirstEntry | undefined): void {
  for (const [place, ordinal] of attempt.ordinals) {
    const seen = attempt.seen.get(place)
    const first = firstAt(ordinal)
    if (first === undefined) throw new Violation('I4', `decided on an answer that was never journaled (${place})`)
    for (const [where, read] of first.reads) {
      if (JSON.stringify(attempt.reads.get(where)) === JSON.stringify(read)) continue
      throw new Violation('I9', `the answer at ${place} was made after another read at ${where}`)
    }
    if (seen === undefined || first.answered === undefined) continue
    if (first.answered !== JSON.stringify(seen)) {
      throw new Violation(
        'I4',
        `the attempt used ${JSON.stringify(seen)} at ${place}, the journal has ${first.answered}`,
      )
    }
  }
}

/** Every answer was given to the question that was asked. */
export function checkAnswers(attempt: Attempt): void {
  for (const [place, question] of attempt.questions) {
    const seen = attempt.seen.get(place)
    if (seen === undefined || 'error' in seen) continue
    const given = Array.from({ length: ANSWERERS }, (_, answerer) => answerTo(question, answerer))
    if (!given.includes(seen.value)) throw new Violation('I6', `the answer to another question was used at ${place}`)
  }
}

export function expectSame(what: string, actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) === JSON.stringify(expected)) return
  throw new Violation('I9', `${what} is ${JSON.stringify(actual)}; crash-free it is ${JSON.stringify(expected)}`)
}

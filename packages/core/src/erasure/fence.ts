import { KeepsakeError } from '../errors.ts'
import { encodeTuple } from '../rows/keys.ts'
import { MAX_SEQ } from '../rows/row-store.ts'

/** In the directory of a subject: there while the subject is being erased. Before all that a directory lists. */
export const FENCE_KEY: string = encodeTuple(['!'])

/**
 * From this version on a directory row says that its entity is being erased for its subject. Writers send that row, guarded
 * by `absent`, with everything they write: the answer has the stored version, and so they see the fence without another
 * read. An erasure that goes on where one was killed raises it: what that one had still sent takes nothing away.
 */
const FENCED_SEQ: number = MAX_SEQ - 1_000_000

export function isFenced(seq: number | undefined): boolean {
  return seq !== undefined && seq >= FENCED_SEQ
}

/** The version with which an erasure fences a row of this version, or none. */
export function fenceOver(seq: number | undefined): number {
  return isFenced(seq) ? seq! + 1 : FENCED_SEQ
}

/**
 * The version of a directory row that somebody relies on who did not write it: it is never taken away but by an erasure.
 * Whoever makes a row and meets the fence takes it away again, by its version, and must not take it from others.
 */
export const LISTED_SEQ: number = FENCED_SEQ - 1

/** What a writer is told. Not retryable: a repeat after the erasure would bring back what was erased. */
export function beingErased(): KeepsakeError {
  return new KeepsakeError(
    'conflict',
    'The person whose data this is, is being erased: nothing was stored. Once the erasure is complete, new data can be stored.',
    { details: { reason: 'erasure' } },
  )
}

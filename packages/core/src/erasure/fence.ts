import { KeepsakeError } from '../errors.ts'
import { encodeTuple } from '../rows/keys.ts'
import { MAX_SEQ } from '../rows/row-store.ts'

/** In the directory of a subject: there while the subject is being erased. Before all that a directory lists. */
export const FENCE_KEY: string = encodeTuple(['!'])

/**
 * The version of a directory row whose entity is being erased for its subject. Writers send that row, guarded by `absent`,
 * with everything they write: the answer has the stored version, and so they see the fence without another read.
 */
export const FENCED_SEQ: number = MAX_SEQ

/** What a writer is told. Not retryable: a repeat after the erasure would bring back what was erased. */
export function beingErased(): KeepsakeError {
  return new KeepsakeError(
    'conflict',
    'The person whose data this is, is being erased: nothing was stored. Once the erasure is complete, new data can be stored.',
    { details: { reason: 'erasure' } },
  )
}

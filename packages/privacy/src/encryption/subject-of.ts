import { decodeTuple, encodeTuple, peekEnvelope, type Bytes, type Key } from '@keepsake/core'

/**
 * Whose personal data a row is: what its envelope says (the subject, or else the owner), or else the owner that the entity
 * names, or else the entity itself. Rows that nobody is named for, such as those of a thread without owner, have a key of
 * their entity.
 */
export function subjectOf(entity: string, rec: Bytes): Key {
  const envelope = peekEnvelope(rec)
  const named = envelope?.subject ?? envelope?.owner
  if (named !== undefined) return named
  return OWNED.some((kind) => entity.startsWith(kind)) ? decodeTuple(entity).slice(1) : keyOfEntity(entity)
}

/** Whose key seals rows of an entity that name nobody: nobody's, the entity's own. */
export function keyOfEntity(entity: string): Key {
  return ['', entity]
}

/** How the entities begin that name a person: `ownerEntity`, `subjectEntity`. */
const OWNED: readonly string[] = [encodeTuple(['owner']), encodeTuple(['subject'])]

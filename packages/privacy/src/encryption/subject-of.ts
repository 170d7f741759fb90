import { decodeTuple, peekEnvelope, type Bytes, type Key } from '@keepsake/core'

/**
 * Whose personal data a row is: what its envelope says (the subject, or else the owner), or else the owner that the entity
 * names, or else the entity itself. Rows that nobody is named for, such as those of a thread without owner, have a key of
 * their entity.
 */
export function subjectOf(entity: string, rec: Bytes): Key {
  const envelope = peekEnvelope(rec)
  const named = envelope?.subject ?? envelope?.owner
  if (named !== undefined) return named
  const [kind, ...rest] = tupleOf(entity)
  return kind === 'owner' || kind === 'subject' ? rest : ['', entity]
}

function tupleOf(entity: string): string[] {
  try {
    return decodeTuple(entity)
  } catch {
    return []
  }
}

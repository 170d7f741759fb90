import type { Bytes, CallOptions } from '@keepsake/core'
import { mustBe } from '../must-be.ts'
import { damaged, dataKeyIdOf, openRecord, type Place } from './sealed-record.ts'
import type { SubjectKeys } from './subject-keys.ts'

/**
 * What a stored record holds; `undefined` if its key was destroyed. Throws `invalid_value`, naming the place, for one that
 * was damaged or copied, whose key store this is not, or that is not encrypted, unless `readPlain` is set.
 */
export async function openSealed(
  rec: Bytes,
  place: Place,
  { keys, readPlain }: { keys: SubjectKeys; readPlain: boolean },
  call: CallOptions | undefined,
): Promise<Bytes | undefined> {
  const id = dataKeyIdOf(rec, place)
  if (id === undefined) {
    if (readPlain) return rec
    throw damaged(place, 'it is not encrypted (see readPlain)')
  }
  const key = await keys.find(id, call)
  if (key === 'unknown') throw damaged(place, 'its data key is not in this key store; open the one that belongs to it')
  return key === 'destroyed' ? undefined : openRecord(rec, key, place)
}

export function checkKeys(keys: SubjectKeys, what: string): void {
  if (typeof keys?.current !== 'function' || typeof keys.find !== 'function')
    throw mustBe(what, 'the data keys, subjectKeys({ store, wrapping })', keys)
}

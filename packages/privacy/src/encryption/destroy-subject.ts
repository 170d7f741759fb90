import { checkStore, subjectEntities, type CallOptions, type Owner, type RowStore } from '@keepsake/core'
import { checkKeys } from './open-sealed.ts'
import type { SubjectKeys } from './subject-keys.ts'
import { keyOfEntity } from './subject-of.ts'

/**
 * Makes everything of a person unreadable, here and in every backup: destroys the person's data keys, and those of the
 * threads and engine entities that are the person's alone, whose journals, waiting events, dead letters and working memory
 * name nobody. `store` is the encrypted one, whose directory of the person says which these are: call it before
 * `eraseSubject`, which then removes what is left. Can be repeated where it was interrupted; the person's own keys go last.
 *
 * In threads of others it destroys what names the person; what the engine keeps of runs there is left to `eraseSubject` and
 * retention. With a `subjectOf` of your own, destroy what it gives by `keys.destroy`. Returns how many keys went. Costs a
 * read of the directory, and a write for each thread. Throws `invalid_key` for a subject that names nobody.
 */
export async function destroySubject(
  store: RowStore,
  subject: Owner,
  { keys, ...call }: CallOptions & { keys: SubjectKeys },
): Promise<number> {
  checkStore(store, 'destroySubject: store')
  checkKeys(keys, 'destroySubject: keys')
  let destroyed = 0
  for await (const { entity, whole } of subjectEntities(
    store,
    typeof subject === 'string' ? [subject] : subject,
    call,
  )) {
    if (whole) destroyed += await keys.destroy(keyOfEntity(entity), call)
  }
  return destroyed + (await keys.destroy(subject, call))
}

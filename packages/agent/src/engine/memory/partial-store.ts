import { KeepsakeError, type RowStore } from '@keepsake/core'

/** The part of a store that core's records use. */
export type RecordStore = Pick<RowStore, 'name' | 'limits' | 'load' | 'scan' | 'write'>

/** A store for core's records and nothing else. */
export function partialStore(part: RecordStore): RowStore {
  async function refuse(): Promise<never> {
    throw new KeepsakeError('unsupported', `${part.name} is read and written through its records alone.`)
  }
  return {
    ...part,
    entities: refuse,
    remove: refuse,
    removeEntity: refuse,
    provision: refuse,
    verify: refuse,
    close: refuse,
    [Symbol.asyncDispose]: refuse,
  }
}

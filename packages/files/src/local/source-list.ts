import { untrustedText } from '@keepsake/core'
import { readJsonList, writeJsonList } from './json-list.ts'
import type { PinnedDirectory } from './pinned-directory.ts'

/** Several files share a list where a disk might take their names for one. */
interface FileSources {
  name: string
  sources: string[]
}

/** What a file was derived from, beside it in a file of ours. Changed by whoever holds the file's lock. */
export interface SourceList {
  of(name: string): Promise<readonly string[]>
  /** Survives a power loss before it returns: then what is derived from these sources may be written. */
  set(name: string, sources: readonly string[]): Promise<void>
}

export function sourceList(directory: PinnedDirectory, listName: string): SourceList {
  const path = directory.at(listName)
  return {
    async of(name) {
      const list = await readJsonList(path)
      // Who could damage it could take the mark away as well: nobody's word that the file is to be trusted.
      if (list === undefined || !list.every(isFileSources)) return [untrustedText({ origin: 'unknown' })]
      return list.find((one) => one.name === name)?.sources ?? []
    },
    async set(name, sources) {
      const list = (await readJsonList(path)) ?? []
      const others = list.filter(isFileSources).filter((one) => one.name !== name)
      await writeJsonList(path, sources.length === 0 ? others : [...others, { name, sources }])
      await directory.sync()
    },
  }
}

function isFileSources(value: unknown): value is FileSources {
  const { name, sources } = (value ?? {}) as Partial<Record<keyof FileSources, unknown>>
  return typeof name === 'string' && Array.isArray(sources) && sources.every((source) => typeof source === 'string')
}

import { systemClock, type SearchIndex } from '@keepsake/core'
import type { SearchIndexCase } from './search-index-case.ts'

/** Gives an index by its name: the same name, the same data. A name that was not given before is an empty index. */
export type OpenSearchIndex = (name: string) => Promise<SearchIndex>

/**
 * Runs one case of `searchIndexCases` on an index that is open, and takes away what indexes of its own it made. `open`
 * makes those.
 */
export async function runSearchCaseOn(
  index: SearchIndex,
  testCase: SearchIndexCase,
  open: OpenSearchIndex,
): Promise<void> {
  const prefix = `case-${systemClock().newId()}-`
  const own = new Set<string>()
  await testCase.run({
    index,
    scope: (suffix = '') => prefix + suffix,
    async open(name) {
      // Short enough for the name of a table.
      const whole = `${name}_${prefix.slice(5, 13)}`
      const opened = await open(whole)
      if (!own.has(whole)) await opened.provision()
      own.add(whole)
      return opened
    },
  })
  for (const name of own) {
    await using opened = await open(name)
    await opened.provision({ down: true })
  }
}

import { inProcessIndex, type SearchIndex } from '@keepsake/core'
import { testSearchIndex } from '../src/index.ts'

const indexes = new Map<string, SearchIndex>()

testSearchIndex('the index in this process', async (name) => {
  const index = indexes.get(name) ?? inProcessIndex()
  indexes.set(name, index)
  return index
})

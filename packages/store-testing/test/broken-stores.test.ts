import { inMemoryStore } from '@keepsake/core'
import { describe, expect, it } from 'vitest'
import { ruledStore } from '../src/broken/ruled-store.ts'
import { brokenStores, rowStoreCases, runRowStoreCase, testRowStore, type RowStoreCase } from '../src/index.ts'

function caseNamed(name: string): RowStoreCase {
  const found = rowStoreCases.find((testCase) => testCase.name === name)
  if (found === undefined) throw new Error(`no case is named ${name}`)
  return found
}

describe('broken stores', () => {
  for (const { name, caughtBy, open } of brokenStores) {
    it(`${name}: caught by "${caughtBy}"`, async () => {
      const testCase = caseNamed(caughtBy)
      // Only an expectation counts: a broken store that crashes would prove nothing.
      await expect(runRowStoreCase(testCase, open)).rejects.toHaveProperty('expected')
      await runRowStoreCase(testCase, async () => inMemoryStore())
    })
  }

  it('are many, and each has a name of its own', () => {
    expect(brokenStores.length).toBeGreaterThanOrEqual(18)
    expect(new Set(brokenStores.map((store) => store.name)).size).toBe(brokenStores.length)
  })
})

// What the broken stores are made from is right where nothing is broken.
testRowStore('rules without a fault', async () => ruledStore())

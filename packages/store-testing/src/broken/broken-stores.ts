import { brokenGuards } from './broken-guards.ts'
import { brokenNames } from './broken-names.ts'
import { brokenRanges } from './broken-ranges.ts'
import type { BrokenStore } from './broken-store.ts'
import { brokenWrites } from './broken-writes.ts'

/**
 * Stores that are wrong in one thing each, and the case that finds it: the proof that the suite sees what it claims
 * to. For tests only.
 */
export const brokenStores: readonly BrokenStore[] = [...brokenGuards, ...brokenNames, ...brokenRanges, ...brokenWrites]

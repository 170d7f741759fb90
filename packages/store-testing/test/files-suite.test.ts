import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inMemoryStore, KeepsakeError, records } from '@keepsake/core'
import { compositeFiles, rowFiles, stateFiles, withPermissions, type Files } from '@keepsake/files'
import { localFiles } from '@keepsake/files/local'
import { describe, expect, it } from 'vitest'
import { inMount } from './in-mount.ts'
import { brokenFiles, filesCases, runFilesCase, testFiles } from '../src/index.ts'

testFiles('rowFiles in memory', () => {
  const store = inMemoryStore()
  return { files: rowFiles(store, 'ada'), again: rowFiles(store, ['ada']) }
})

testFiles('stateFiles on records', () => {
  const store = inMemoryStore()
  const open = () => stateFiles(records(store, ['threads', 'a']))
  return { files: open(), again: open() }
})

testFiles('localFiles', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-files-'))
  // Made with the first write.
  const root = join(folder, 'users', 'ada')
  return {
    files: localFiles({ root }),
    again: localFiles({ root }),
    close: async () => rmSync(folder, { recursive: true }),
  }
})

testFiles('compositeFiles, in its default', () => {
  const store = inMemoryStore()
  const open = () => compositeFiles({ default: rowFiles(store, 'ada'), routes: {} })
  return { files: open(), again: open() }
})

testFiles('compositeFiles, in a mount', () => {
  const store = inMemoryStore()
  const open = () =>
    inMount(
      compositeFiles({
        default: rowFiles(store, 'default'),
        routes: { '/team': rowFiles(store, 'team'), '/team/m [1]': rowFiles(store, 'ada') },
      }),
      '/team/m [1]',
    )
  return { files: open(), again: open() }
})

testFiles('withPermissions that allow everything', () => {
  const store = inMemoryStore()
  const rules = [{ operations: ['read', 'write'], paths: ['/**'], mode: 'allow' }] as const
  const open = () => withPermissions(rowFiles(store, 'ada'), rules) as Required<Files>
  return { files: open(), again: open() }
})

describe('the suite', () => {
  it('has case names that are unique', () => {
    const names = filesCases.map((testCase) => testCase.name)
    expect(new Set(names).size).toBe(names.length)
  })

  it('tries several hundred hostile paths', () => {
    const topic = filesCases.filter((testCase) => testCase.topic === 'hostile paths')
    expect(topic.length).toBeGreaterThanOrEqual(100)
    expect(topic.map(({ name }) => name)).toContain('refused on every verb: 378 ways up')
  })

  it('refuses to skip what is not there', () => {
    const skip = { 'no such case': 'because' }
    expect(() => testFiles('skips', () => ({}) as never, { skip })).toThrow(KeepsakeError)
  })
})

describe('a file system that', () => {
  it.each(brokenFiles.map((files) => [files.name, files] as const))('%s is caught', async (_, files) => {
    const testCase = filesCases.find(({ name }) => name === files.caughtBy)
    if (testCase === undefined) throw new Error(`no case is named ${JSON.stringify(files.caughtBy)}`)
    const run = runFilesCase(testCase, () => files.open())
    // Only an expectation counts, and not a crash; but where the fault is to throw, that is what is found.
    if (files.name === 'throws for a bad path') await expect(run).rejects.toThrow(/invalid_path/)
    else await expect(run).rejects.toHaveProperty('expected')
  })
})

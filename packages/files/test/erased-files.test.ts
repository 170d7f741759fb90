import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { eraseSubject, inMemoryStore } from '@keepsake/core'
import { expect, it } from 'vitest'
import { localFiles } from '../src/local/local-files.ts'
import { temporaryFolders } from './temporary-folder.ts'

const folder = temporaryFolders()

/** The paths of all that is in a folder, and the bytes of its files, as one text. */
async function everything(root: string): Promise<string> {
  const found: string[] = []
  for (const path of (await readdir(root, { recursive: true })).toSorted()) {
    const file = join(root, path)
    found.push(path, (await stat(file)).isFile() ? (await readFile(file)).toString('latin1') : '')
  }
  return found.join('\n')
}

it('files of a person on a disk are erased with all that lies beside them, and others stay', async () => {
  const root = folder()
  const files = localFiles({ root })
  await files.write('/users/bob/likes.md', 'Bob likes tea', { sources: ['thread:bob-1'], opId: 'bob-op' })
  const before = await everything(root)
  await files.write('/users/zoe/likes.md', 'Zoe likes kites', { sources: ['untrusted:tool:fetch#zoe'] })
  await files.edit('/users/zoe/likes.md', 'kites', 'boats', { opId: 'zoe-op' })
  await files.write('/users/zoe/trips/norway.md', 'Zoe was in Norway', { opId: 'zoe-op-2' })
  await files.move('/users/zoe/trips/norway.md', '/users/zoe/trips/oslo.md')
  const erase = (dryRun: boolean) =>
    eraseSubject(inMemoryStore(), 'zoe', { dryRun, graceMs: 0, files: [{ files, paths: ['/users/zoe/**'] }] })
  expect((await erase(true)).counts).toEqual({ files: 2 })
  expect(await everything(root)).toMatch(/Zoe likes boats/)
  expect((await erase(false)).counts).toEqual({ files: 2 })
  expect(await everything(root)).toBe(before)
  expect(before).not.toContain('zoe')
  expect((await erase(false)).counts).toEqual({})
})

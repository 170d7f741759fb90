import { describe, expect, it } from 'vitest'
import { eraseSubject } from '../src/erasure/erase-subject.ts'
import { inMemoryStore } from '../src/rows/in-memory-store.ts'

const NOW = { graceMs: 0 }

describe('files that are no rows', () => {
  it('are deleted by their paths, and counted', async () => {
    const there = new Set(['/users/zoe/a.md', '/users/zoe/b.md', '/users/bob/a.md'])
    const files = {
      async glob(pattern: string) {
        const prefix = pattern.replace('**', '')
        const value = [...there].filter((path) => path.startsWith(prefix)).map((path) => ({ path, directory: false }))
        return { ok: true as const, value }
      },
      delete: async (path: string) => ({ ok: there.delete(path) }),
    }
    const options = { ...NOW, files: [{ files, paths: ['/users/zoe/**'] }] }
    expect((await eraseSubject(inMemoryStore(), 'zoe', { ...options, dryRun: true })).counts).toEqual({ files: 2 })
    expect(there.size).toBe(3)
    expect((await eraseSubject(inMemoryStore(), 'zoe', options)).counts).toEqual({ files: 2 })
    expect([...there]).toEqual(['/users/bob/a.md'])
  })
})

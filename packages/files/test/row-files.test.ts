import { createClock, inMemoryStore, KeepsakeError, records } from '@keepsake/core'
import { describe, expect, it } from 'vitest'
import { rowFiles } from '../src/row-files.ts'

describe('rowFiles', () => {
  it('keeps owners apart, whatever their names', async () => {
    const store = inMemoryStore()
    const owners = ['ada', 'ada_', 'Ada', 'ad', ['ada', 'x'], ['users', 'ada']]
    for (const owner of owners) await rowFiles(store, owner).write('/AGENTS.md', JSON.stringify(owner))
    for (const owner of owners) {
      const files = rowFiles(store, owner)
      expect(await files.read('/AGENTS.md')).toMatchObject({ value: { content: JSON.stringify(owner) } })
      expect(await files.ls('/')).toMatchObject({ value: [{ path: '/AGENTS.md' }] })
      expect(await files.grep('a')).toMatchObject({ ok: true })
    }
  })

  it('does not list what only begins like a directory', async () => {
    const files = rowFiles(inMemoryStore(), 'ada')
    for (const path of ['/acme/a.md', '/acme-corp/a.md', '/acme%/a.md', '/acm_/a.md']) await files.write(path, 'hello')
    const found = [
      await files.ls('/acme'),
      await files.glob('/acme/**'),
      await files.grep('hello', { glob: '/acme/**' }),
    ]
    for (const result of found) expect(result).toMatchObject({ value: [{ path: '/acme/a.md' }] })
  })

  it('lists thousands of files whole', async () => {
    const store = inMemoryStore()
    const files = rowFiles(store, 'ada')
    await files.upload(
      Array.from({ length: 1234 }, (_, i) => ({ path: `/notes/${i}.md`, bytes: new TextEncoder().encode('x') })),
    )
    const listed = [await files.ls('/notes'), await files.glob('**'), await files.grep('x')]
    expect(listed.map((result) => result.ok && result.value.length)).toEqual([1234, 1234, 1234])
  })

  it('hides nothing where a file and one below it were made at once', async () => {
    const files = rowFiles(inMemoryStore(), 'ada')
    await Promise.all([files.write('/a', 'one'), files.write('/a/b', 'two'), files.write('/a/c/d', 'three')])
    const shown = async (path: string) => {
      const found = await files.ls(path)
      return found.ok && found.value.map((info) => [info.path, info.directory])
    }
    expect(await shown('/')).toEqual([
      ['/a', false],
      ['/a', true],
    ])
    expect(await shown('/a')).toEqual([
      ['/a', false],
      ['/a/b', false],
      ['/a/c', true],
    ])
    expect(await files.glob('**')).toMatchObject({ value: [{ path: '/a' }, { path: '/a/b' }, { path: '/a/c/d' }] })
    for (const path of ['/a', '/a/b', '/a/c/d']) expect(await files.delete(path)).toMatchObject({ ok: true })
    expect(await shown('/')).toEqual([])
  })

  it('is a key space of its own, beside the records of the owner', async () => {
    const store = inMemoryStore()
    await records(store, 'ada').put(['AGENTS.md'], 'a record')
    const files = rowFiles(store, 'ada')
    expect(await files.ls('/')).toEqual({ ok: true, value: [] })
    await files.write('/AGENTS.md', 'a file')
    expect((await records(store, 'ada').get(['AGENTS.md']))?.value).toBe('a record')
  })

  it('takes its versions and times from the clock', async () => {
    const store = inMemoryStore()
    // 1,000 ms after the first of January 2024, when versions begin: 1,000 * 4,096.
    const clock = createClock({ nowMs: () => Date.UTC(2024, 0, 1) + 1000, newId: () => 'w' })
    const files = rowFiles(store, 'ada', { clock })
    expect(await files.write('/a.md', 'x')).toEqual({ ok: true, value: { version: '4096000' } })
    expect(await files.ls('/')).toEqual({
      ok: true,
      value: [{ path: '/a.md', directory: false, sizeBytes: 1, updatedAtMs: 1_704_067_201_000 }],
    })
  })

  it('refuses an owner that names nobody', () => {
    expect(() => rowFiles(inMemoryStore(), '')).toThrow(KeepsakeError)
  })

  it('throws what the store throws', async () => {
    const store = inMemoryStore()
    await store.close()
    await expect(rowFiles(store, 'ada').read('/a.md')).rejects.toMatchObject({ code: 'unavailable' })
  })
})

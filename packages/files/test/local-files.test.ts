import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join, relative } from 'node:path'
import { KeepsakeError } from '@keepsake/core'
import { describe, expect, it } from 'vitest'
import { localFiles } from '../src/local/local-files.ts'
import { temporaryFolders } from './temporary-folder.ts'

const folder = temporaryFolders()

describe('localFiles', () => {
  it('touches nothing when it is made or read, and makes the root with the first write', async () => {
    const root = join(folder(), 'users', 'ada')
    const files = localFiles({ root })
    await files.ls('/')
    await files.read('/AGENTS.md')
    await files.edit('/AGENTS.md', 'a', 'b')
    await files.write('/AGENTS.md', 'x', { ifVersion: 'v' })
    expect(existsSync(root)).toBe(false)
    await files.write('/AGENTS.md', 'hello')
    expect(readFileSync(join(root, 'AGENTS.md'), 'utf8')).toBe('hello')
  })

  it('a directory goes with its last file, and one that a link leads through stays', async () => {
    const root = folder()
    const files = localFiles({ root })
    await files.write('/a/b/c/one.md', 'x')
    await files.write('/a/two.md', 'x')
    await files.delete('/a/b/c/one.md')
    expect(readdirSync(root, { recursive: true }).map(String).toSorted()).toEqual(['a', 'a/two.md'])
    mkdirSync(join(root, 'a', 'kept'))
    symlinkSync('a/kept', join(root, 'link'))
    await files.write('/link/three.md', 'x')
    await files.delete('/link/three.md')
    expect(await files.write('/link/three.md', 'y')).toMatchObject({ ok: true })
    await files.delete('/a/kept/three.md')
    await files.delete('/a/two.md')
    // The root stays.
    expect(readdirSync(root)).toEqual(['link'])
  })

  it('a file is created in a directory that others remove with their last file at that moment', async () => {
    const root = folder()
    const work = async (name: string): Promise<string[]> => {
      const files = localFiles({ root })
      const path = `/deep/er/${name}.md`
      const seen: string[] = []
      for (let i = 0; i < 100; i++) {
        const written = await files.write(path, `${i}`, { ifVersion: null })
        const read = await files.read(path)
        const deleted = await files.delete(path)
        seen.push(written.ok && read.ok && deleted.ok ? read.value.content : JSON.stringify([written, read, deleted]))
      }
      return seen
    }
    const all = Array.from({ length: 100 }, (_, i) => `${i}`)
    expect(await Promise.all(['a', 'b', 'c'].map(work))).toEqual([all, all, all])
    expect(readdirSync(root)).toEqual([])
  })

  it('leaves nothing beside the files', async () => {
    const root = folder()
    const files = localFiles({ root })
    await files.write('/notes/a.md', 'a')
    await Promise.all([files.edit('/notes/a.md', 'a', 'ab'), files.edit('/notes/a.md', 'a', 'x')])
    await files.write('/notes/a.md', 'b', { ifVersion: 'v' })
    await files.move('/notes/a.md', '/b.md')
    expect(readdirSync(root, { recursive: true }).map(String).toSorted()).toEqual(['b.md'])
  })

  it('sees what other programs write, as another version', async () => {
    const root = folder()
    const files = localFiles({ root })
    writeFileSync(join(root, 'a.md'), 'from an editor')
    const before = await files.read('/a.md')
    expect(before).toMatchObject({ value: { content: 'from an editor' } })
    writeFileSync(join(root, 'a.md'), 'from an editor, again')
    if (!before.ok) throw new Error(before.message)
    expect(await files.write('/a.md', 'x', { ifVersion: before.value.version })).toMatchObject({ code: 'conflict' })
    expect(readFileSync(join(root, 'a.md'), 'utf8')).toBe('from an editor, again')
  })

  it('versions by content: the SHA-256 of the bytes', async () => {
    const files = localFiles({ root: folder() })
    // `printf abc | sha256sum`, FIPS 180-2 appendix B.1.
    const version = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
    expect(await files.write('/a.md', 'abc')).toEqual({ ok: true, value: { version } })
  })

  it('keeps the mode of a file', async () => {
    const root = folder()
    const path = join(root, 'a.md')
    writeFileSync(path, 'one')
    chmodSync(path, 0o640)
    const files = localFiles({ root })
    await files.edit('/a.md', 'one', 'two')
    await files.write('/a.md', 'three')
    expect(readFileSync(path, 'utf8')).toBe('three')
    expect((statSync(path).mode & 0o7777).toString(8)).toBe('640')
  })

  it('does not write a file again that an edit leaves as it is', async () => {
    const root = folder()
    const path = join(root, 'a.md')
    writeFileSync(path, 'one')
    utimesSync(path, 1000, 1000)
    const files = localFiles({ root })
    expect(await files.edit('/a.md', 'one', 'one')).toMatchObject({ ok: true })
    expect(statSync(path).mtimeMs).toBe(1_000_000)
    expect(await files.ls('/')).toEqual({
      ok: true,
      value: [{ path: '/a.md', directory: false, sizeBytes: 3, updatedAtMs: 1_000_000 }],
    })
  })

  it('shows no files of its own, and none that it would refuse', async () => {
    const root = folder()
    for (const name of ['.keepsake-0.lock', '.keepsake-0-1.tmp', '~draft.md', 'a\\b.md', 'a\nb.md', 'ok.md']) {
      writeFileSync(join(root, name), 'hello')
    }
    // A name in Latin-1.
    writeFileSync(Buffer.concat([Buffer.from(`${root}/caf`), Buffer.from([0xe9])]), 'hello')
    const files = localFiles({ root })
    const found = [await files.ls('/'), await files.glob('**'), await files.grep('hello')]
    for (const result of found) expect(result).toMatchObject({ ok: true, value: [{ path: '/ok.md' }] })
    for (const result of found) expect(result.ok && result.value).toHaveLength(1)
  })

  it('resolves a relative root when it is made', async () => {
    const root = folder()
    const files = localFiles({ root: relative(process.cwd(), root) })
    await files.write('/a.md', 'x')
    expect(readdirSync(root)).toEqual(['a.md'])
  })

  it('has a link as its root, if that is what it is told', async () => {
    const base = folder()
    mkdirSync(join(base, 'real'))
    symlinkSync('real', join(base, 'link'))
    await localFiles({ root: join(base, 'link') }).write('/notes/a.md', 'x')
    expect(readFileSync(join(base, 'real/notes/a.md'), 'utf8')).toBe('x')
  })

  it.for([[''], ['a\0b'], [undefined], [42]])('refuses the root %j', ([root]) => {
    expect(() => localFiles({ root: root as string })).toThrow(KeepsakeError)
  })

  it.for([['file'], ['file/below']])('throws for a root that is no directory: %s', async ([name = '']) => {
    const base = folder()
    writeFileSync(join(base, 'file'), 'mine')
    const files = localFiles({ root: join(base, name) })
    await expect(files.write('/a.md', 'x')).rejects.toMatchObject({ code: 'invalid_value' })
    expect(readFileSync(join(base, 'file'), 'utf8')).toBe('mine')
  })
})

import { describe, expect, it } from 'vitest'
import type { Files } from '../../src/files.ts'
import { codeOf, pathsOf, valueOf, type Open } from './opened.ts'

export function findCases(name: string, open: Open): void {
  describe(`${name}: finding`, () => {
    const tree = ['/a.md', '/a/b.md', '/a/b/c.txt', '/a-b.md', '/.hidden.md', '/é.md', '/ｚ.md', '/😀.md']
    const filled = async (): Promise<Required<Files>> => {
      const { files } = await open()
      for (const path of tree) valueOf(await files.write(path, `This is ${path}\nMilk (2 l) costs 100% of $1\n`))
      return files
    }

    it('lists a directory in the order of its names, by code points', async () => {
      const files = await filled()
      expect(valueOf(await files.ls('/')).map(({ path, directory }) => [path, directory])).toEqual([
        ['/.hidden.md', false],
        ['/a', true],
        ['/a-b.md', false],
        ['/a.md', false],
        ['/é.md', false],
        ['/ｚ.md', false],
        ['/😀.md', false],
      ])
      expect(await pathsOf(files.ls('a/'))).toEqual(['/a/b', '/a/b.md'])
    })

    it('tells size and time of files, and lists a file as itself', async () => {
      const files = await filled()
      const [info, ...others] = valueOf(await files.ls('/é.md'))
      expect(others).toEqual([])
      // 8 + 6 for the path + 1, and 27 + 1.
      expect(info).toEqual({ path: '/é.md', directory: false, sizeBytes: 43, updatedAtMs: expect.any(Number) })
      expect(Number.isSafeInteger(info!.updatedAtMs)).toBe(true)
    })

    it('finds nothing in directories that are not there', async () => {
      const files = await filled()
      expect(codeOf(await files.ls('/missing'))).toBe('not_found')
      expect(codeOf(await files.ls('/a-'))).toBe('not_found')
      expect(await pathsOf(files.glob('/missing/**'))).toEqual([])
      expect(await pathsOf(files.glob('/a.md/**'))).toEqual([])
    })

    it.for([
      ['**', ['/.hidden.md', '/a/b/c.txt', '/a/b.md', '/a-b.md', '/a.md', '/é.md', '/ｚ.md', '/😀.md']],
      ['*', ['/.hidden.md', '/a-b.md', '/a.md', '/é.md', '/ｚ.md', '/😀.md']],
      ['/?.md', ['/a.md', '/é.md', '/ｚ.md', '/😀.md']],
      ['/a/**', ['/a/b/c.txt', '/a/b.md']],
      ['/a/*', ['/a/b.md']],
      ['**/*.txt', ['/a/b/c.txt']],
      ['/a/b/c.txt', ['/a/b/c.txt']],
      ['{/a.md,/a/b/*}', ['/a/b/c.txt', '/a.md']],
      ['/a', []],
    ] as const)('finds by the pattern %s', async ([pattern, expected]) => {
      expect(await pathsOf((await filled()).glob(pattern))).toEqual(expected)
    })

    it.for([
      ['../**'],
      ['/a/../**'],
      ['{../,}*'],
      ['~/*'],
      ['a\\*'],
      ['a\0*'],
      ['{'.repeat(2) + ',a'.repeat(200) + '}}'],
    ])('refuses the pattern %s', async ([pattern = '']) => {
      const files = await filled()
      expect(codeOf(await files.glob(pattern))).toBe('invalid_path')
      expect(codeOf(await files.grep('Milk', { glob: pattern }))).toBe('invalid_path')
    })

    it('greps literally, with line and text', async () => {
      const files = await filled()
      expect(await files.grep('(2 l) costs 100% of $1', { glob: '/a.md' })).toEqual({
        ok: true,
        value: [{ path: '/a.md', line: 2, text: 'Milk (2 l) costs 100% of $1' }],
      })
      expect(await files.grep('M.lk')).toEqual({ ok: true, value: [] })
      expect(await files.grep('milk')).toEqual({ ok: true, value: [] })
      expect(codeOf(await files.grep(''))).toBe('no_match')
    })

    it('greps by name in any directory, by path, and up to a limit', async () => {
      const files = await filled()
      expect(await pathsOf(files.grep('Milk', { glob: 'b.*' }))).toEqual(['/a/b.md'])
      expect(await pathsOf(files.grep('Milk', { glob: '/a/**' }))).toEqual(['/a/b/c.txt', '/a/b.md'])
      expect(await pathsOf(files.grep('Milk', { limit: 3 }))).toEqual(['/.hidden.md', '/a/b/c.txt', '/a/b.md'])
    })
  })
}

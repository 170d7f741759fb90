import { describe, expect, it } from 'vitest'
import { codeOf, pathsOf, textAt, valueOf, type Open } from './opened.ts'

export function deleteMoveCases(name: string, open: Open): void {
  describe(`${name}: deleting and moving`, () => {
    it('deletes a file, a named version only', async () => {
      const { files, again } = await open()
      const { version } = valueOf(await files.write('/a/b.md', 'one'))
      valueOf(await again.write('/a/b.md', 'two'))
      expect(codeOf(await files.delete('/a/b.md', { ifVersion: version }))).toBe('conflict')
      valueOf(await files.delete('/a/b.md'))
      expect(codeOf(await again.read('/a/b.md'))).toBe('not_found')
      expect(codeOf(await again.delete('/a/b.md'))).toBe('not_found')
      expect(await pathsOf(again.glob('**'))).toEqual([])
    })

    it('makes a deleted file again, under another version', async () => {
      const { files } = await open()
      valueOf(await files.write('/a.md', 'one'))
      valueOf(await files.delete('/a.md'))
      const { version } = valueOf(await files.write('/a.md', 'two', { ifVersion: null }))
      expect(valueOf(await files.read('/a.md'))).toEqual({ content: 'two', version })
    })

    it('moves a file to a free path', async () => {
      const { files } = await open()
      valueOf(await files.write('/a.md', 'a'))
      valueOf(await files.write('/b.md', 'b'))
      expect(codeOf(await files.move('/a.md', '/b.md'))).toBe('exists')
      expect(codeOf(await files.move('/a.md', '/a.md'))).toBe('exists')
      expect(codeOf(await files.move('/missing.md', '/c.md'))).toBe('not_found')
      valueOf(await files.move('/a.md', '/deep/er/a.md'))
      expect(await pathsOf(files.glob('**'))).toEqual(['/b.md', '/deep/er/a.md'])
      expect(await textAt(files, '/deep/er/a.md')).toBe('a')
    })
  })
}

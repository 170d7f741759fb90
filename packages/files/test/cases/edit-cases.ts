import { describe, expect, it } from 'vitest'
import type { Files } from '../../src/files.ts'
import { codeOf, pathsOf, textAt, valueOf, type Open } from './opened.ts'

export function editCases(name: string, open: Open): void {
  describe(`${name}: editing`, () => {
    it('replaces the only occurrence and says where', async () => {
      const { files, again } = await open()
      valueOf(await files.write('/a.md', '# User\n\n- Name: Ada.\n'))
      const edited = valueOf(await files.edit('/a.md', '- Name: Ada.', '- Name: Ada.\n- Prefers German.'))
      expect(edited.lines).toEqual([3])
      const read = valueOf(await again.read('/a.md'))
      expect(read).toEqual({ content: '# User\n\n- Name: Ada.\n- Prefers German.\n', version: edited.version })
    })

    it('changes nothing where the text is missing or ambiguous', async () => {
      const { files } = await open()
      const { version } = valueOf(await files.write('/a.md', 'x\ny\nx\n'))
      expect(await files.edit('/a.md', 'z', '')).toEqual({
        ok: false,
        code: 'no_match',
        message: 'String not found in file',
      })
      expect(await files.edit('/a.md', 'x', 'z')).toEqual({
        ok: false,
        code: 'many_matches',
        message: 'String occurs 2 times (lines 1, 3); make it unique or set replace_all',
      })
      expect(valueOf(await files.read('/a.md')).version).toBe(version)
      expect(valueOf(await files.edit('/a.md', 'x', 'z', { all: true })).lines).toEqual([1, 3])
      expect(await textAt(files, '/a.md')).toBe('z\ny\nz\n')
    })

    it('edits a CRLF file with LF text and keeps it CRLF', async () => {
      const { files } = await open()
      valueOf(await files.write('/a.md', '\uFEFFa\r\nb\r\nc\r\n'))
      valueOf(await files.edit('/a.md', 'a\nb', 'a\nB\nB2'))
      expect(await textAt(files, '/a.md')).toBe('\uFEFFa\r\nB\r\nB2\r\nc\r\n')
    })

    it('writes nothing special into a replacement', async () => {
      const { files } = await open()
      valueOf(await files.write('/a.md', 'cost\n'))
      valueOf(await files.edit('/a.md', 'cost', "$& $1 $$ $` $'"))
      expect(await textAt(files, '/a.md')).toBe("$& $1 $$ $` $'\n")
    })

    it('deletes with an empty or left-out replacement', async () => {
      const { files } = await open()
      valueOf(await files.write('/a.md', 'one two three'))
      valueOf(await files.edit('/a.md', ' two', ''))
      valueOf(await (files.edit as (path: string, old: string) => ReturnType<Files['edit']>)('/a.md', ' three'))
      expect(await textAt(files, '/a.md')).toBe('one')
    })

    it('lands 32 edits of different lines at once, through two handles', async () => {
      const { files, again } = await open()
      const lines = Array.from({ length: 32 }, (_, i) => `line ${i}.`)
      valueOf(await files.write('/a.md', lines.join('\n')))
      const edits = await Promise.all(
        lines.map((line, i) => (i % 2 === 0 ? files : again).edit('/a.md', line, `LINE ${i}.`)),
      )
      expect(edits.map(codeOf)).toEqual(lines.map(() => 'ok'))
      expect(await textAt(files, '/a.md')).toBe(lines.map((line) => line.replace('line', 'LINE')).join('\n'))
    })

    it('lands one of two edits of the same text', async () => {
      const { files, again } = await open()
      valueOf(await files.write('/a.md', 'one\ntwo\n'))
      const results = await Promise.all([files.edit('/a.md', 'one', 'left'), again.edit('/a.md', 'one', 'right')])
      expect(results.map(codeOf).toSorted()).toEqual(['no_match', 'ok'])
      expect(await textAt(files, '/a.md')).toBe(results[0].ok ? 'left\ntwo\n' : 'right\ntwo\n')
    })

    it('makes no file', async () => {
      const { files } = await open()
      expect(codeOf(await files.edit('/new/a.md', 'a', 'b'))).toBe('not_found')
      expect(await pathsOf(files.ls('/'))).toEqual([])
    })
  })
}

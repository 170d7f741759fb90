import type { Files } from '@keepsake/files'
import { expectEqual } from '../expect.ts'
import { expectSame } from '../model-cases/expect-same.ts'
import { together } from '../together.ts'
import { codeOf, expectCode, expectPaths, expectText, valueOf } from './expect-files.ts'
import { filesCasesOf, type FilesCase } from './files-case.ts'

export const editCases: FilesCase[] = filesCasesOf('editing', [
  [
    'an edit replaces the only occurrence and says where',
    async ({ files, again }) => {
      valueOf(await files.write('/a.md', '# User\n\n- Name: Ada.\n'))
      const edited = valueOf(await files.edit('/a.md', '- Name: Ada.', '- Name: Ada.\n- Prefers German.'))
      expectEqual(edited.lines, [3], 'the lines')
      const expected = { content: '# User\n\n- Name: Ada.\n- Prefers German.\n', version: edited.version }
      expectSame(valueOf(await again.read('/a.md')), expected, 'what is there')
    },
  ],
  [
    'an edit changes nothing where the text is missing or ambiguous',
    async ({ files }) => {
      const { version } = valueOf(await files.write('/a.md', 'x\ny\nx\n'))
      expectSame(
        await files.edit('/a.md', 'z', ''),
        { ok: false, code: 'no_match', message: 'String not found in file' },
        'a text that is not there',
      )
      expectSame(
        await files.edit('/a.md', 'x', 'z'),
        {
          ok: false,
          code: 'many_matches',
          message: 'String occurs 2 times (lines 1, 3); make it unique or set replace_all',
        },
        'a text that is there twice',
      )
      expectEqual(valueOf(await files.read('/a.md')).version, version, 'the version')
      expectEqual(valueOf(await files.edit('/a.md', 'x', 'z', { all: true })).lines, [1, 3], 'all of them')
      await expectText(files, '/a.md', 'z\ny\nz\n')
    },
  ],
  [
    'a CRLF file is edited with LF text, and what is not replaced stays byte for byte',
    async ({ files }) => {
      valueOf(await files.write('/a.md', '\uFEFFa\r\nb\r\nc\r\n'))
      valueOf(await files.edit('/a.md', 'a\nb', 'a\nB\nB2'))
      await expectText(files, '/a.md', '\uFEFFa\r\nB\r\nB2\r\nc\r\n')
    },
  ],
  [
    'nothing is special in a replacement',
    async ({ files }) => {
      valueOf(await files.write('/a.md', 'cost\n'))
      valueOf(await files.edit('/a.md', 'cost', "$& $1 $$ $` $'"))
      await expectText(files, '/a.md', "$& $1 $$ $` $'\n")
    },
  ],
  [
    'an empty or left-out replacement removes the text',
    async ({ files }) => {
      valueOf(await files.write('/a.md', 'one two three'))
      valueOf(await files.edit('/a.md', ' two', ''))
      valueOf(await (files.edit as (path: string, old: string) => ReturnType<Files['edit']>)('/a.md', ' three'))
      await expectText(files, '/a.md', 'one')
    },
  ],
  [
    '32 edits of different lines at once, through two handles, all land',
    async ({ files, again }) => {
      const lines = Array.from({ length: 32 }, (_, i) => `line ${i}.`)
      valueOf(await files.write('/a.md', lines.join('\n')))
      const edits = await together(
        lines.map((line, i) => (i % 2 === 0 ? files : again).edit('/a.md', line, `LINE ${i}.`)),
      )
      expectEqual(
        edits.map(codeOf),
        lines.map(() => 'ok'),
        'the outcomes',
      )
      await expectText(files, '/a.md', lines.map((line) => line.replace('line', 'LINE')).join('\n'))
    },
  ],
  [
    'of two edits of the same text one lands, and the other is an error',
    async ({ files, again }) => {
      valueOf(await files.write('/a.md', 'one\ntwo\n'))
      const results = await together([files.edit('/a.md', 'one', 'left'), again.edit('/a.md', 'one', 'right')])
      expectEqual(results.map(codeOf).toSorted(), ['no_match', 'ok'], 'the outcomes')
      await expectText(files, '/a.md', results[0].ok ? 'left\ntwo\n' : 'right\ntwo\n')
    },
  ],
  [
    'an edit makes no file',
    async ({ files }) => {
      await expectCode(files.edit('/new/a.md', 'a', 'b'), 'not_found', 'the edit')
      await expectPaths(files.ls('/'), [])
    },
  ],
  [
    'an edit gives another version where it changes the text',
    async ({ files }) => {
      const first = valueOf(await files.write('/a.md', 'one'))
      const second = valueOf(await files.edit('/a.md', 'one', 'two'))
      expectEqual(first.version === second.version, false, 'whether the versions are the same')
      await expectCode(files.write('/a.md', 'x', { ifVersion: first.version }), 'conflict', 'a write over the first')
    },
  ],
])

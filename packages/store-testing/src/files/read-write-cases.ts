import { MAX_FILE_BYTES } from '@keepsake/files'
import { expectEqual } from '../expect.ts'
import { expectSame } from '../model-cases/expect-same.ts'
import { together } from '../together.ts'
import { bytesOf, codeOf, expectCode, expectPaths, expectText, valueOf } from './expect-files.ts'
import { filesCasesOf, type FilesCase, type OpenedFiles } from './files-case.ts'

const KEPT: [what: string, content: string][] = [
  ['nothing', ''],
  ['CRLF', 'a\r\nb\r\n'],
  ['mixed endings and lone CR', 'a\r\nb\nc\rd'],
  ['a byte-order mark', '\uFEFFa\n'],
  ['U+0000', 'a\0b'],
  ['all of Unicode', 'ä 笔记 👩‍👩‍👧 \uFFFF'],
  ['no last line ending', 'a'],
  ['something like an envelope', '{"text":"x","bytes":[1]}'],
]

export const readWriteCases: FilesCase[] = filesCasesOf('reading and writing', [
  [
    'an empty root has nothing in it',
    async ({ files }) => {
      await expectPaths(files.ls('/'), [])
      await expectPaths(files.glob('**'), [])
      await expectPaths(files.grep('a'), [])
      expectSame(await files.read('/a.md'), { ok: false, code: 'not_found', message: 'file not found' }, 'a read')
    },
  ],
  [
    'what was written is read back, under every spelling of the path',
    async ({ files, again }) => {
      const { version } = valueOf(await files.write('notes/deep/a.md', 'hello\n'))
      for (const path of ['/notes/deep/a.md', 'notes/deep/a.md', '//notes/./deep//a.md']) {
        expectSame(await again.read(path), { ok: true, value: { content: 'hello\n', version } }, path)
      }
    },
  ],
  ...KEPT.map(
    ([what, content]) =>
      [
        `kept exactly: ${what}`,
        async ({ files, again }: OpenedFiles) => {
          valueOf(await files.write('/a.md', content))
          await expectText(again, '/a.md', content)
          const [downloaded] = await again.download(['/a.md'])
          expectSame(valueOf(downloaded!).bytes, bytesOf(content), 'the bytes')
        },
      ] as const,
  ),
  [
    'ifVersion null creates, and replaces nothing',
    async ({ files }) => {
      valueOf(await files.write('/a.md', 'first', { ifVersion: null }))
      expectSame(
        await files.write('/a.md', 'second', { ifVersion: null }),
        { ok: false, code: 'exists', message: 'file already exists' },
        'the second creation',
      )
      await expectText(files, '/a.md', 'first')
    },
  ],
  [
    'ifVersion replaces that version and no other',
    async ({ files, again }) => {
      const first = valueOf(await files.write('/a.md', 'one'))
      const second = valueOf(await again.write('/a.md', 'two', { ifVersion: first.version }))
      await expectCode(files.write('/a.md', 'three', { ifVersion: first.version }), 'conflict', 'over the first')
      expectSame(valueOf(await files.read('/a.md')), { content: 'two', version: second.version }, 'what is there')
      expectEqual(second.version === first.version, false, 'whether the versions are the same')
    },
  ],
  ...['no version at all', '-1', '0', ''].map(
    (version) =>
      [
        `the version "${version}" is one of nothing`,
        async ({ files }: OpenedFiles) => {
          await expectCode(files.write('/new/a.md', 'x', { ifVersion: version }), 'conflict', 'where nothing is')
          await expectPaths(files.ls('/'), [])
          valueOf(await files.write('/a.md', 'x'))
          await expectCode(files.write('/a.md', 'y', { ifVersion: version }), 'conflict', 'a write')
          await expectCode(files.delete('/a.md', { ifVersion: version }), 'conflict', 'a delete')
          await expectText(files, '/a.md', 'x')
        },
      ] as const,
  ),
  [
    'one of two creators wins',
    async ({ files, again }) => {
      const results = await together([
        files.write('/a.md', 'left', { ifVersion: null }),
        again.write('/a.md', 'right', { ifVersion: null }),
      ])
      expectEqual(results.map(codeOf).toSorted(), ['exists', 'ok'], 'the outcomes')
      await expectText(files, '/a.md', results[0].ok ? 'left' : 'right')
    },
  ],
  [
    'one of two writers of the same version and the same text wins',
    async ({ files, again }) => {
      const { version } = valueOf(await files.write('/a.md', 'one'))
      const results = await together([
        files.write('/a.md', 'two', { ifVersion: version }),
        again.write('/a.md', 'two', { ifVersion: version }),
      ])
      expectEqual(results.map(codeOf).toSorted(), ['conflict', 'ok'], 'the outcomes')
    },
  ],
  [
    '16 writers at once without a version all succeed, and one text is there whole',
    async ({ files, again }) => {
      const texts = Array.from({ length: 16 }, (_, i) => `${i} `.repeat(1000))
      const results = await together(texts.map((text, i) => (i % 2 === 0 ? files : again).write('/new/a.md', text)))
      expectEqual(
        results.map(codeOf),
        texts.map(() => 'ok'),
        'the outcomes',
      )
      const { content } = valueOf(await files.read('/new/a.md'))
      expectEqual(texts.includes(content), true, 'whether what is there is one of the texts')
    },
  ],
  [
    'directories and files are kept apart',
    async ({ files }) => {
      valueOf(await files.write('/notes/a.md', 'x'))
      await expectCode(files.read('/notes'), 'is_directory', 'read')
      await expectCode(files.write('/notes', 'x'), 'is_directory', 'write')
      await expectCode(files.edit('/notes', 'a', 'b'), 'is_directory', 'edit')
      await expectCode(files.delete('/notes'), 'is_directory', 'delete')
      await expectCode(files.move('/notes', '/other'), 'is_directory', 'move')
      await expectCode(files.read('/notes/a.md/b.md'), 'not_found', 'read below a file')
      await expectCode(files.edit('/notes/a.md/b.md', 'a', 'b'), 'not_found', 'edit below a file')
      await expectCode(files.delete('/notes/a.md/b.md'), 'not_found', 'delete below a file')
      await expectCode(files.write('/notes/a.md/b.md', 'x'), 'exists', 'write below a file')
      const deeper = files.write('/notes/a.md/deep/b.md', 'x', { ifVersion: null })
      await expectCode(deeper, 'exists', 'create further below a file')
      await expectCode(files.move('/notes/a.md', '/notes/a.md/b.md'), 'exists', 'move below itself')
      await expectPaths(files.glob('**'), ['/notes/a.md'])
    },
  ],
  [
    'an error names the path as it was asked for',
    async ({ files }) => {
      valueOf(await files.write('/notes/deep/a.md', 'x'))
      const isDirectory = { ok: false, code: 'is_directory', message: '/notes/deep is a directory' }
      expectSame(await files.read('notes//deep'), isDirectory, 'a read')
      expectSame(await files.write('/notes/deep', 'x'), isDirectory, 'a write')
      expectSame(
        await files.write('/notes/deep/a.md/b', 'x'),
        { ok: false, code: 'exists', message: '/notes/deep/a.md/b is below a file, where nothing can be kept' },
        'a write below a file',
      )
    },
  ],
  ...['/', '', '.', '//'].map(
    (path) =>
      [
        `"${path}" is the root`,
        async ({ files }: OpenedFiles) => {
          await expectCode(files.ls(path), 'ok', 'ls')
          await expectCode(files.read(path), 'is_directory', 'read')
          await expectCode(files.write(path, 'x'), 'is_directory', 'write')
          await expectCode(files.delete(path), 'is_directory', 'delete')
        },
      ] as const,
  ),
  [
    'a file has no slash at its end',
    async ({ files }) => {
      await expectCode(files.write('/notes/', 'x'), 'invalid_path', 'write')
      await expectPaths(files.ls('/'), [])
    },
  ],
  [
    'half a surrogate pair is refused before anything is written',
    async ({ files }) => {
      valueOf(await files.write('/a.md', 'cut here'))
      await expectCode(files.write('/b.md', 'cut \uD83D'), 'not_text', 'write')
      await expectCode(files.edit('/a.md', 'here', '\uD83D'), 'not_text', 'edit')
      await expectText(files, '/a.md', 'cut here')
      await expectPaths(files.ls('/'), ['/a.md'])
    },
  ],
  [
    'a file has 2 MiB and not one byte more',
    async ({ files }) => {
      const full = 'a'.repeat(MAX_FILE_BYTES)
      valueOf(await files.write('/a.md', full))
      expectEqual(valueOf(await files.read('/a.md')).content.length, 2_097_152, 'the length of the largest')
      await expectCode(files.write('/b.md', `${full}a`), 'too_large', 'write')
      // Two bytes each.
      await expectCode(files.write('/b.md', 'é'.repeat(1_048_577)), 'too_large', 'write of two-byte characters')
      const uploaded = await files.upload([{ path: '/b.md', bytes: new Uint8Array(2_097_153) }])
      expectEqual(uploaded.map(codeOf), ['too_large'], 'upload')
      valueOf(await files.write('/c.md', `${'a'.repeat(MAX_FILE_BYTES - 1)}b`))
      await expectCode(files.edit('/c.md', 'b', 'bb'), 'too_large', 'edit')
      await expectPaths(files.ls('/'), ['/a.md', '/c.md'])
    },
  ],
])

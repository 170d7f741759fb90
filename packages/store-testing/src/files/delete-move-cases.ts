import { expectEqual } from '../expect.ts'
import { expectSame } from '../model-cases/expect-same.ts'
import { bytesOf, codeOf, expectCode, expectPaths, expectText, valueOf } from './expect-files.ts'
import { filesCasesOf, type FilesCase } from './files-case.ts'

export const deleteMoveCases: FilesCase[] = filesCasesOf('deleting and moving', [
  [
    'a delete takes a file, and of a named version no other',
    async ({ files, again }) => {
      const { version } = valueOf(await files.write('/a/b.md', 'one'))
      valueOf(await again.write('/a/b.md', 'two'))
      await expectCode(files.delete('/a/b.md', { ifVersion: version }), 'conflict', 'a delete of the old version')
      await expectText(again, '/a/b.md', 'two')
      valueOf(await files.delete('/a/b.md'))
      await expectCode(again.read('/a/b.md'), 'not_found', 'a read')
      await expectCode(again.delete('/a/b.md'), 'not_found', 'a second delete')
      await expectPaths(again.glob('**'), [])
    },
  ],
  [
    'a deleted file is made again, and can be deleted by its new version',
    async ({ files }) => {
      valueOf(await files.write('/a.md', 'one'))
      valueOf(await files.delete('/a.md'))
      const { version } = valueOf(await files.write('/a.md', 'two', { ifVersion: null }))
      expectSame(valueOf(await files.read('/a.md')), { content: 'two', version }, 'what is there')
      valueOf(await files.delete('/a.md', { ifVersion: version }))
      await expectPaths(files.ls('/'), [])
    },
  ],
  [
    'a move takes a file to a free path, whole',
    async ({ files }) => {
      valueOf(await files.write('/a.md', 'a'))
      valueOf(await files.write('/b.md', 'b'))
      await expectCode(files.move('/a.md', '/b.md'), 'exists', 'onto another')
      await expectCode(files.move('/a.md', '/a.md'), 'exists', 'onto itself')
      await expectCode(files.move('/missing.md', '/c.md'), 'not_found', 'of nothing')
      valueOf(await files.move('/a.md', '/deep/er/a.md'))
      await expectPaths(files.glob('**'), ['/b.md', '/deep/er/a.md'])
      await expectText(files, '/deep/er/a.md', 'a')
      await expectText(files, '/b.md', 'b')
    },
  ],
  [
    'a move carries bytes that are no text',
    async ({ files }) => {
      await files.upload([{ path: '/a.bin', bytes: Uint8Array.of(0xff, 0) }])
      valueOf(await files.move('/a.bin', '/b.bin'))
      const [moved] = await files.download(['/b.bin'])
      expectSame(valueOf(moved!).bytes, Uint8Array.of(0xff, 0), 'the bytes')
      await expectPaths(files.ls('/'), ['/b.bin'])
    },
  ],
  [
    'an edit and a delete of the version before it do not both win',
    async ({ files, again }) => {
      const { version } = valueOf(await files.write('/a.md', 'one'))
      const [edited, deleted] = await Promise.all([
        files.edit('/a.md', 'one', 'two'),
        again.delete('/a.md', { ifVersion: version }),
      ])
      const outcome = `${codeOf(edited)} ${codeOf(deleted)}`
      const isOne = outcome === 'ok conflict' || outcome === 'not_found ok'
      expectEqual(isOne ? 'one wins' : outcome, 'one wins', 'the two outcomes')
      const [left] = await again.download(['/a.md'])
      const bytes = left!.ok ? left!.value.bytes : undefined
      expectSame(bytes, edited.ok ? bytesOf('two') : undefined, 'what is left')
    },
  ],
])

import { expectEqual, expectError } from '../expect.ts'
import { together } from '../together.ts'
import { bytesOf, codeOf, expectCode, expectPaths, expectText, valueOf } from './expect-files.ts'
import { filesCasesOf, type FilesCase } from './files-case.ts'

/** Made twice, these would show: each adds a line and leaves the text that it looks for. */
const END = '- end\n'
const added = (line: string): string => `- ${line}\n${END}`

export const operationCases: FilesCase[] = filesCasesOf('operations', [
  [
    'an edit that is repeated with its opId lands once, also by another handle',
    async ({ files, again }) => {
      valueOf(await files.write('/a.md', END))
      const first = valueOf(await files.edit('/a.md', END, added('one'), { opId: 'run/1' }))
      expectEqual(first.lines, [1], 'the lines of the first')
      for (const handle of [files, again]) {
        const repeated = valueOf(await handle.edit('/a.md', END, added('one'), { opId: 'run/1' }))
        expectEqual([repeated.version, repeated.lines], [first.version, []], 'what the repeat gives')
      }
      await expectText(again, '/a.md', added('one'))
      valueOf(await again.edit('/a.md', END, added('two'), { opId: 'run/2' }))
      await expectText(again, '/a.md', `- one\n${added('two')}`)
    },
  ],
  [
    'an edit is recognised under 15 later ones',
    async ({ files, again }) => {
      valueOf(await files.write('/a.md', END))
      valueOf(await files.edit('/a.md', END, added('mine'), { opId: 'run/mine' }))
      for (let i = 0; i < 15; i++) {
        valueOf(await again.edit('/a.md', END, added(String(i)), i % 2 === 0 ? { opId: `run/${i}` } : {}))
      }
      valueOf(await files.edit('/a.md', END, added('mine'), { opId: 'run/mine' }))
      const lines = ['mine', ...Array.from({ length: 15 }, (_, i) => String(i))].map((line) => `- ${line}\n`)
      await expectText(files, '/a.md', lines.join('') + END)
    },
  ],
  [
    'an edit is recognised though the text that it looks for is gone, and after the whole file was replaced',
    async ({ files, again }) => {
      valueOf(await files.write('/a.md', 'one\n'))
      valueOf(await files.edit('/a.md', 'one', 'two', { opId: 'x' }))
      await expectCode(again.edit('/a.md', 'one', 'two', { opId: 'x' }), 'ok', 'the repeat')
      await expectCode(again.edit('/a.md', 'one', 'two', { opId: 'y' }), 'no_match', 'another edit')
      valueOf(await again.write('/a.md', 'one, again\n'))
      await expectCode(files.edit('/a.md', 'one', 'two', { opId: 'x' }), 'ok', 'the repeat after a write')
      await expectText(files, '/a.md', 'one, again\n')
    },
  ],
  [
    'a creation that is repeated with its opId is no error, and another one is',
    async ({ files, again }) => {
      const { version } = valueOf(await files.write('/new/a.md', 'mine', { ifVersion: null, opId: 'x' }))
      const repeated = valueOf(await again.write('/new/a.md', 'mine', { ifVersion: null, opId: 'x' }))
      expectEqual(repeated.version, version, 'the version')
      await expectCode(again.write('/new/a.md', 'mine', { ifVersion: null, opId: 'y' }), 'exists', 'another creation')
      await expectCode(again.write('/new/a.md', 'mine', { ifVersion: null }), 'exists', 'one without a name')
      valueOf(await again.edit('/new/a.md', 'mine', 'ours'))
      valueOf(await files.write('/new/a.md', 'mine', { ifVersion: null, opId: 'x' }))
      await expectText(files, '/new/a.md', 'ours')
    },
  ],
  [
    'a write over a version is recognised, and so is an upload',
    async ({ files, again }) => {
      const { version } = valueOf(await files.write('/a.md', 'one'))
      const second = valueOf(await files.write('/a.md', 'two', { ifVersion: version, opId: 'x' }))
      const repeated = valueOf(await again.write('/a.md', 'two', { ifVersion: version, opId: 'x' }))
      expectEqual(repeated.version, second.version, 'the version')
      valueOf(await files.write('/a.md', 'three'))
      valueOf(await again.write('/a.md', 'two', { opId: 'x' }))
      const upload = () => files.upload([{ path: '/b.bin', bytes: bytesOf('b') }], { opId: 'x' })
      valueOf((await upload())[0]!)
      valueOf(await again.edit('/b.bin', 'b', 'c'))
      valueOf((await upload())[0]!)
      await expectText(files, '/a.md', 'three')
      await expectText(files, '/b.bin', 'c')
    },
  ],
  [
    'the same opId names changes of different files',
    async ({ files }) => {
      for (const path of ['/a.md', '/b.md', '/A.md2']) {
        valueOf(await files.write(path, END, { ifVersion: null, opId: 'x' }))
        valueOf(await files.edit(path, END, added('one'), { opId: 'y' }))
        await expectText(files, path, added('one'))
      }
    },
  ],
  [
    'an edit that was refused has not landed: it can be made later',
    async ({ files }) => {
      valueOf(await files.write('/a.md', 'one'))
      await expectCode(files.edit('/a.md', 'two', 'three', { opId: 'x' }), 'no_match', 'too early')
      valueOf(await files.write('/a.md', 'two'))
      expectEqual(valueOf(await files.edit('/a.md', 'two', 'three', { opId: 'x' })).lines, [1], 'the lines')
      await expectText(files, '/a.md', 'three')
    },
  ],
  [
    'of the same edit made eight times at once one lands, and all say so',
    async ({ files, again }) => {
      valueOf(await files.write('/a.md', END))
      const edits = await together(
        Array.from({ length: 8 }, (_, i) =>
          (i % 2 === 0 ? files : again).edit('/a.md', END, added('one'), { opId: 'x' }),
        ),
      )
      expectEqual(
        edits.map(codeOf),
        edits.map(() => 'ok'),
        'the outcomes',
      )
      await expectText(files, '/a.md', added('one'))
    },
  ],
  [
    'an opId may be any text that is not empty',
    async ({ files, again }) => {
      valueOf(await files.write('/a.md', END))
      for (const opId of ['a/b:c', 'ä 笔记 👩‍👩‍👧', '__proto__', '\n', 'x'.repeat(10_000)]) {
        valueOf(await files.edit('/a.md', END, added('x'), { opId }))
        const { content } = valueOf(await files.read('/a.md'))
        valueOf(await again.edit('/a.md', END, added('x'), { opId }))
        await expectText(again, '/a.md', content)
      }
      for (const opId of ['', 42, null, 'a\uD800'] as unknown[] as string[]) {
        await expectError(files.edit('/a.md', END, 'x', { opId }), 'invalid_value', 'an edit without a name')
        await expectError(files.write('/b.md', 'x', { opId }), 'invalid_value', 'a write without a name')
      }
      await expectPaths(files.ls('/'), ['/a.md'])
    },
  ],
])

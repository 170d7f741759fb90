import type { Files } from '@keepsake/files'
import { expectError } from '../expect.ts'
import { bytesOf, expectPaths } from './expect-files.ts'
import { filesCasesOf, type FilesCase, type OpenedFiles } from './files-case.ts'

const WRONG: [what: string, call: (files: Files) => Promise<unknown>][] = [
  ['a number as content', (files) => files.write('/a.md', 42 as never)],
  ['a number as ifVersion', (files) => files.write('/a.md', 'x', { ifVersion: 3 as never })],
  [
    'a number as ifVersion of an upload',
    (files) => files.upload([{ path: '/a', bytes: bytesOf(''), ifVersion: 3 as never }]),
  ],
  ['nothing as the old text', (files) => files.edit('/a.md', undefined as never, 'x')],
  ['an object as the new text', (files) => files.edit('/a.md', 'x', {} as never)],
  ['a regular expression to grep', (files) => files.grep(/x/ as never)],
  ['a limit of 0', (files) => files.grep('x', { limit: 0 })],
  ['a limit of 1.5', (files) => files.grep('x', { limit: 1.5 })],
  ['a limit that is no number', (files) => files.grep('x', { limit: Number.NaN })],
  ['a text as bytes', (files) => files.upload([{ path: '/a.md', bytes: 'x' as never }])],
]

export const misuseCases: FilesCase[] = filesCasesOf('misuse', [
  ...WRONG.map(
    ([what, call]) =>
      [
        `throws for ${what}`,
        async ({ files }: OpenedFiles) => {
          await expectError(call(files), 'invalid_value', what)
          await expectPaths(files.ls('/'), [])
        },
      ] as const,
  ),
  [
    'a signal that has fired ends every verb',
    async ({ files }) => {
      const o = { signal: AbortSignal.abort() }
      const calls = {
        ls: files.ls('/', o),
        read: files.read('/a.md', o),
        write: files.write('/a.md', 'x', o),
        edit: files.edit('/a.md', 'x', 'y', o),
        glob: files.glob('**', o),
        grep: files.grep('x', o),
        upload: files.upload([{ path: '/a.md', bytes: bytesOf('x') }], o),
        download: files.download(['/a.md'], o),
        delete: files.delete('/a.md', o),
        move: files.move('/a.md', '/b.md', o),
      }
      await Promise.allSettled(Object.values(calls))
      for (const [verb, call] of Object.entries(calls)) await expectError(call, 'aborted', verb)
      await expectPaths(files.ls('/'), [])
    },
  ],
])

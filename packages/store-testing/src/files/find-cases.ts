import { expectEqual } from '../expect.ts'
import { expectSame } from '../model-cases/expect-same.ts'
import { expectCode, expectPaths, valueOf } from './expect-files.ts'
import { filesCasesOf, type FilesCase, type OpenedFiles } from './files-case.ts'

const TREE = ['/a.md', '/a/b.md', '/a/b/c.txt', '/a-b.md', '/.hidden.md', '/é.md', '/ｚ.md', '/😀.md']
/** By the bytes of UTF-8: a code unit of U+1F600 is smaller than U+FF5A. */
const TOP = ['/.hidden.md', '/a', '/a-b.md', '/a.md', '/é.md', '/ｚ.md', '/😀.md']

const PATTERNS: [pattern: string, paths: string[]][] = [
  ['**', ['/.hidden.md', '/a/b/c.txt', '/a/b.md', '/a-b.md', '/a.md', '/é.md', '/ｚ.md', '/😀.md']],
  ['*', ['/.hidden.md', '/a-b.md', '/a.md', '/é.md', '/ｚ.md', '/😀.md']],
  ['/?.md', ['/a.md', '/é.md', '/ｚ.md', '/😀.md']],
  ['/a/**', ['/a/b/c.txt', '/a/b.md']],
  ['/a/*', ['/a/b.md']],
  ['**/*.txt', ['/a/b/c.txt']],
  ['**/b/**', ['/a/b/c.txt']],
  ['/[!a].md', ['/é.md', '/ｚ.md', '/😀.md']],
  ['/a/b/c.txt', ['/a/b/c.txt']],
  ['{/a.md,/a/b/*}', ['/a/b/c.txt', '/a.md']],
  ['/a', []],
]

const REFUSED = ['../**', '/a/../**', '{../,}*', '~/*', 'a\\*', 'a\0*', `{{${',a'.repeat(200)}}}`]

async function fill({ files }: OpenedFiles): Promise<void> {
  for (const path of TREE) valueOf(await files.write(path, `This is ${path}\nMilk (2 l) costs 100% of $1\n`))
}

export const findCases: FilesCase[] = filesCasesOf('finding', [
  [
    'a directory is listed in the order of its names, by code points',
    async (opened) => {
      await fill(opened)
      const listed = valueOf(await opened.again.ls('/')).map(({ path, directory }) => [path, directory])
      expectEqual(
        listed,
        TOP.map((path) => [path, path === '/a']),
        'the root',
      )
      await expectPaths(opened.again.ls('a/'), ['/a/b', '/a/b.md'])
    },
  ],
  [
    'size and time of a file are told, and a file is listed as itself',
    async (opened) => {
      await fill(opened)
      const [info, ...others] = valueOf(await opened.files.ls('/é.md'))
      expectEqual(others, [], 'what else is listed')
      // 8 + 6 for the path + 1, and 27 + 1.
      expectEqual([info!.path, info!.directory, info!.sizeBytes], ['/é.md', false, 43], 'the file')
      expectEqual(Number.isSafeInteger(info!.updatedAtMs), true, 'whether its time is whole milliseconds')
    },
  ],
  [
    'nothing is found in directories that are not there',
    async (opened) => {
      await fill(opened)
      const { files } = opened
      await expectCode(files.ls('/missing'), 'not_found', 'a listing')
      await expectCode(files.ls('/a-'), 'not_found', 'half a name')
      await expectPaths(files.glob('/missing/**'), [])
      await expectPaths(files.glob('/a.md/**'), [])
    },
  ],
  ...PATTERNS.map(
    ([pattern, paths]) =>
      [
        `the pattern ${pattern} finds what it should, in order`,
        async (opened: OpenedFiles) => {
          await fill(opened)
          await expectPaths(opened.files.glob(pattern), paths)
          await expectPaths(opened.again.grep('Milk', { glob: pattern.includes('/') ? pattern : `/${pattern}` }), paths)
        },
      ] as const,
  ),
  ...REFUSED.map(
    (pattern) =>
      [
        `the pattern ${JSON.stringify(pattern)} is refused`,
        async (opened: OpenedFiles) => {
          await fill(opened)
          await expectCode(opened.files.glob(pattern), 'invalid_path', 'glob')
          await expectCode(opened.files.grep('Milk', { glob: pattern }), 'invalid_path', 'grep')
        },
      ] as const,
  ),
  [
    'grep finds a text literally, with line and text',
    async (opened) => {
      await fill(opened)
      const { files } = opened
      const expected = { ok: true, value: [{ path: '/a.md', line: 2, text: 'Milk (2 l) costs 100% of $1' }] }
      expectSame(await files.grep('(2 l) costs 100% of $1', { glob: '/a.md' }), expected, 'what is found')
      await expectPaths(files.grep('M.lk'), [])
      await expectPaths(files.grep('milk'), [])
      await expectCode(files.grep(''), 'no_match', 'an empty text')
    },
  ],
  [
    'grep narrows by a name in any directory, by a path, and to a limit',
    async (opened) => {
      await fill(opened)
      const { files } = opened
      await expectPaths(files.grep('Milk', { glob: 'b.*' }), ['/a/b.md'])
      await expectPaths(files.grep('Milk', { glob: '/a/**' }), ['/a/b/c.txt', '/a/b.md'])
      await expectPaths(files.grep('Milk', { limit: 3 }), ['/.hidden.md', '/a/b/c.txt', '/a/b.md'])
    },
  ],
  [
    'what is written is found at once, and what is deleted no more',
    async ({ files, again }) => {
      await expectPaths(files.glob('**'), [])
      valueOf(await files.write('/x/a.md', 'here'))
      for (const handle of [files, again]) await expectPaths(handle.glob('**'), ['/x/a.md'])
      valueOf(await again.delete('/x/a.md'))
      await expectPaths(files.glob('**'), [])
      await expectPaths(files.grep('here'), [])
    },
  ],
  [
    'hundreds of files are listed whole',
    async ({ files }) => {
      const names = Array.from({ length: 234 }, (_, i) => `/notes/${String(i).padStart(3, '0')}.md`)
      await files.upload(names.map((path) => ({ path, bytes: Uint8Array.of(0x78) })))
      for (const found of [files.ls('/notes'), files.glob('**'), files.grep('x')]) await expectPaths(found, names)
    },
  ],
])

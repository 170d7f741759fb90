import type { Files, Result } from '@keepsake/files'
import { expectEqual } from '../expect.ts'
import { bytesOf, codeOf, expectPaths, expectText, valueOf } from './expect-files.ts'
import { filesCasesOf, type FilesCase, type OpenedFiles } from './files-case.ts'
import { harmlessPaths, refusedPaths, waysUp } from './hostile-paths.ts'

/** Every verb on a path. */
async function everyVerb(files: Required<Files>, path: string): Promise<Result<unknown>[]> {
  return [
    await files.ls(path),
    await files.read(path),
    await files.write(path, 'x'),
    await files.write(path, 'x', { ifVersion: null }),
    await files.write(path, 'x', { ifVersion: 'v' }),
    await files.edit(path, 'kept', 'x'),
    ...(await files.upload([{ path, bytes: bytesOf('x') }])),
    ...(await files.download([path])),
    await files.delete(path),
    await files.move(path, '/b.md'),
    await files.move('/AGENTS.md', path),
  ]
}

async function refuses({ files }: OpenedFiles, paths: readonly unknown[]): Promise<void> {
  valueOf(await files.write('/AGENTS.md', 'kept'))
  for (const path of paths) {
    const results = await everyVerb(files, path as string)
    const shown = typeof path === 'string' ? JSON.stringify(path.slice(0, 100)) : typeof path
    expectEqual(
      results.map(codeOf),
      results.map(() => 'invalid_path'),
      shown,
    )
  }
  await expectPaths(files.glob('**'), ['/AGENTS.md'])
  await expectText(files, '/AGENTS.md', 'kept')
}

export const hostilePathCases: FilesCase[] = filesCasesOf('hostile paths', [
  ...refusedPaths.map(
    ({ name, path }) => [`refused on every verb: ${name}`, (opened: OpenedFiles) => refuses(opened, [path])] as const,
  ),
  [`refused on every verb: ${waysUp.length} ways up`, (opened) => refuses(opened, waysUp)],
  ...harmlessPaths.map(
    ({ name, path: harmless }) =>
      [
        `an ordinary name: ${name}`,
        async ({ files, again }: OpenedFiles) => {
          const path = (harmless as string).replaceAll(/\/+/g, '/')
          valueOf(await files.write(harmless as string, 'mine', { ifVersion: null }))
          await expectPaths(again.glob('**'), [path])
          valueOf(await again.edit(path, 'mine', 'still mine'))
          await expectText(again, path, 'still mine')
          valueOf(await files.move(path, '/moved.md'))
          valueOf(await files.move('/moved.md', path))
          await expectPaths(files.grep('still'), [path])
          valueOf(await again.delete(path))
          await expectPaths(files.glob('**'), [])
        },
      ] as const,
  ),
])

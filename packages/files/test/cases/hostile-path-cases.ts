import { describe, expect, it } from 'vitest'
import { harmlessPaths, refusedPaths } from '../hostile-paths.ts'
import { bytesOf, codeOf, pathsOf, textAt, valueOf, type Open } from './opened.ts'

export function hostileCases(name: string, open: Open): void {
  describe(`${name}: hostile paths`, () => {
    it.for(refusedPaths)('refuses $name on every verb', async ({ path: hostile }) => {
      const { files } = await open()
      const path = hostile as string
      valueOf(await files.write('/AGENTS.md', 'kept'))
      const results = [
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
      expect(results.map(codeOf)).toEqual(results.map(() => 'invalid_path'))
      expect(await pathsOf(files.glob('**'))).toEqual(['/AGENTS.md'])
      expect(await textAt(files, '/AGENTS.md')).toBe('kept')
    })

    it.for(harmlessPaths)('takes $name as a name', async ({ path: harmless }) => {
      const { files, again } = await open()
      const path = (harmless as string).replaceAll(/\/+/g, '/')
      valueOf(await files.write(harmless as string, 'mine', { ifVersion: null }))
      expect(await pathsOf(again.glob('**'))).toEqual([path])
      valueOf(await again.edit(path, 'mine', 'still mine'))
      expect(await textAt(again, path)).toBe('still mine')
      valueOf(await files.move(path, '/moved.md'))
      valueOf(await files.move('/moved.md', path))
      expect(await pathsOf(files.grep('still'))).toEqual([path])
      valueOf(await again.delete(path))
      expect(await pathsOf(files.glob('**'))).toEqual([])
    })
  })
}

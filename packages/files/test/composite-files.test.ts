import { inMemoryStore, KeepsakeError } from '@keepsake/core'
import { describe, expect, it } from 'vitest'
import { compositeFiles } from '../src/composite-files.ts'
import type { Files, Result } from '../src/files.ts'
import { rowFiles } from '../src/row-files.ts'
import { withPermissions } from '../src/with-permissions.ts'

async function filled(...paths: string[]): Promise<Required<Files>> {
  const files = rowFiles(inMemoryStore(), 'ada')
  for (const path of paths) expect(await files.write(path, `Milk at ${path}\n`)).toMatchObject({ ok: true })
  return files
}

const pathsOf = async (found: Promise<Result<{ path: string }[]>>): Promise<string[] | string> => {
  const result = await found
  return result.ok ? result.value.map(({ path }) => path) : result.code
}

/** A default with files that mounts hide, a mount, one within it, and one where no directory is. */
async function mounted() {
  const own = await filled('/AGENTS.md', '/notes/a.md', '/policies/hidden.md', '/policies-old/a.md', '/z.md')
  const policies = await filled('/a.md', '/b/c.md', '/legal/hidden.md', '/x.md')
  const legal = await filled('/law.md')
  const far = await filled('/far.md')
  const files = compositeFiles({
    default: own,
    routes: { '/policies/': policies, '/policies/legal': legal, '/q/r/s': far },
  })
  return { files, own, policies, legal, far }
}

describe('compositeFiles', () => {
  it('gives a path to the longest route that it lies in, without that route', async () => {
    const { files, own, policies, legal } = await mounted()
    for (const path of ['/new.md', '/policies/new.md', '/policies/legal/new.md', '/policies-old/new.md']) {
      expect(await files.write(path, `at ${path}`)).toMatchObject({ ok: true })
      expect(await files.read(path)).toMatchObject({ value: { content: `at ${path}` } })
    }
    expect(await own.read('/policies-old/new.md')).toMatchObject({ value: { content: 'at /policies-old/new.md' } })
    expect(await policies.read('/new.md')).toMatchObject({ value: { content: 'at /policies/new.md' } })
    expect(await legal.read('/new.md')).toMatchObject({ value: { content: 'at /policies/legal/new.md' } })
    expect(await own.read('/policies/new.md')).toMatchObject({ code: 'not_found' })
  })

  it('lists mounts as directories, and hides what is at their place', async () => {
    const { files } = await mounted()
    expect(await pathsOf(files.ls('/'))).toEqual(['/AGENTS.md', '/notes', '/policies', '/policies-old', '/q', '/z.md'])
    expect(await pathsOf(files.ls('/policies'))).toEqual(await pathsOf(files.ls('/policies/')))
    expect(await pathsOf(files.ls('/policies'))).toEqual([
      '/policies/a.md',
      '/policies/b',
      '/policies/legal',
      '/policies/x.md',
    ])
    expect(await pathsOf(files.ls('/policies/legal'))).toEqual(['/policies/legal/law.md'])
    expect(await pathsOf(files.ls('/q'))).toEqual(['/q/r'])
    expect(await pathsOf(files.ls('/q/r'))).toEqual(['/q/r/s'])
    expect(await pathsOf(files.ls('/q/r/s'))).toEqual(['/q/r/s/far.md'])
    expect(await pathsOf(files.ls('/policies/a.md'))).toEqual(['/policies/a.md'])
    expect(await pathsOf(files.ls('/q/x'))).toBe('not_found')
    expect(await files.read('/policies/hidden.md')).toMatchObject({ code: 'not_found' })
    expect(await files.read('/policies/legal/hidden.md')).toMatchObject({ code: 'not_found' })
  })

  it.for([
    [
      '**',
      [
        '/AGENTS.md',
        '/notes/a.md',
        '/policies/a.md',
        '/policies/b/c.md',
        '/policies/legal/law.md',
        '/policies/x.md',
        '/policies-old/a.md',
        '/q/r/s/far.md',
        '/z.md',
      ],
    ],
    ['*', ['/AGENTS.md', '/z.md']],
    ['**/a.md', ['/notes/a.md', '/policies/a.md', '/policies-old/a.md']],
    ['/policies/**', ['/policies/a.md', '/policies/b/c.md', '/policies/legal/law.md', '/policies/x.md']],
    ['/policies/*', ['/policies/a.md', '/policies/x.md']],
    ['/p*/[a-l]*', ['/policies/a.md', '/policies-old/a.md']],
    ['/*/*/*.md', ['/policies/b/c.md', '/policies/legal/law.md']],
    ['/**/r/**/*', ['/q/r/s/far.md']],
    ['/{policies/legal,notes}/*', ['/notes/a.md', '/policies/legal/law.md']],
    ['/policies', []],
    ['/q/r/s', []],
    ['/policies-old/**', ['/policies-old/a.md']],
  ] as const)('finds by %s over all of them, in one order', async ([pattern, expected]) => {
    const { files } = await mounted()
    expect(await pathsOf(files.glob(pattern))).toEqual(expected)
    const inside = pattern.includes('/') ? pattern : `/${pattern}`
    expect(await pathsOf(files.grep('Milk', { glob: inside }))).toEqual(expected)
  })

  it('greps by the name alone, and to a limit that hidden files do not use up', async () => {
    const { files, own } = await mounted()
    for (let i = 0; i < 20; i++) await own.write(`/policies/hidden-${i}.md`, 'Milk\nMilk\n')
    expect(await pathsOf(files.grep('Milk', { glob: 'a.md' }))).toEqual([
      '/notes/a.md',
      '/policies/a.md',
      '/policies-old/a.md',
    ])
    for (const [limit, expected] of [
      [1, ['/AGENTS.md']],
      [3, ['/AGENTS.md', '/notes/a.md', '/policies/a.md']],
      [
        7,
        [
          '/AGENTS.md',
          '/notes/a.md',
          '/policies/a.md',
          '/policies/b/c.md',
          '/policies/legal/law.md',
          '/policies/x.md',
          '/policies-old/a.md',
        ],
      ],
    ] as const) {
      expect(await pathsOf(files.grep('Milk', { limit }))).toEqual(expected)
    }
    expect(await files.grep('law', { glob: '/policies/**' })).toEqual({
      ok: true,
      value: [{ path: '/policies/legal/law.md', line: 1, text: 'Milk at /law.md' }],
    })
  })

  it('names the whole path in every error', async () => {
    const { files } = await mounted()
    const isDirectory = (path: string) => ({ ok: false, code: 'is_directory', message: `${path} is a directory` })
    expect(await files.read('/policies/b')).toEqual(isDirectory('/policies/b'))
    expect(await files.read('/policies')).toEqual(isDirectory('/policies'))
    expect(await files.write('/policies/', 'x')).toMatchObject({ code: 'invalid_path' })
    expect(await files.write('/q/r', 'x')).toEqual(isDirectory('/q/r'))
    expect(await files.delete('/q')).toEqual(isDirectory('/q'))
    expect(await files.write('/policies/a.md/b.md', 'x')).toEqual({
      ok: false,
      code: 'exists',
      message: '/policies/a.md/b.md is below a file, where nothing can be kept',
    })
    expect(await files.move('/z.md', '/q')).toEqual(isDirectory('/q'))
    expect(await files.move('/policies/b', '/policies/d')).toEqual(isDirectory('/policies/b'))
    expect(await files.move('/policies/x.md', '/policies/b')).toEqual(isDirectory('/policies/b'))
    const [downloaded] = await files.download(['/policies/b'])
    expect(downloaded).toEqual(isDirectory('/policies/b'))
  })

  it('moves between mounts, bytes too, and leaves what is in the way', async () => {
    const { files, own, policies } = await mounted()
    await own.upload([{ path: '/a.bin', bytes: Uint8Array.of(0xff, 1) }])
    expect(await files.move('/a.bin', '/policies/a.bin')).toEqual({ ok: true, value: undefined })
    expect(await policies.download(['/a.bin'])).toMatchObject([{ value: { bytes: Uint8Array.of(0xff, 1) } }])
    expect(await own.read('/a.bin')).toMatchObject({ code: 'not_found' })
    expect(await files.move('/z.md', '/policies/a.md')).toMatchObject({ code: 'exists' })
    expect(await files.move('/missing.md', '/policies/m.md')).toMatchObject({ code: 'not_found' })
    expect(await own.read('/z.md')).toMatchObject({ ok: true })
    const [uploaded] = await files.upload([{ path: '/policies/up.md', bytes: Uint8Array.of(0x61) }])
    expect(uploaded).toMatchObject({ value: { path: '/policies/up.md' } })
    expect(await policies.read('/up.md')).toMatchObject({ value: { content: 'a' } })
  })

  it('hands a change its name, so that a replay is recognised', async () => {
    const { files } = await mounted()
    const edit = () => files.edit('/policies/a.md', 'Milk', 'More Milk', { opId: 'x' })
    expect(await edit()).toMatchObject({ value: { lines: [1] } })
    expect(await edit()).toMatchObject({ value: { lines: [] } })
    expect(await files.read('/policies/a.md')).toMatchObject({ value: { content: 'More Milk at /a.md\n' } })
  })

  it('refuses what a mount cannot do, and what its rules deny, under the whole path', async () => {
    const { delete: _, move: __, ...rest } = await filled('/a.md')
    const rules = [{ operations: ['write'], paths: ['/**'], mode: 'deny' }] as const
    const files = compositeFiles({
      default: await filled('/b.md'),
      routes: { '/x': rest, '/y': withPermissions(rest, rules) },
    })
    const denied = (verb: string, path: string) => ({
      ok: false,
      code: 'permission_denied',
      message: `Permission denied ${verb} ${path}`,
    })
    expect(await files.delete('/x/a.md')).toEqual(denied('deleting', '/x/a.md'))
    expect(await files.move('/x/a.md', '/x/b.md')).toEqual(denied('moving', '/x/a.md'))
    expect(await files.move('/x/a.md', '/c.md')).toEqual(denied('moving', '/x/a.md'))
    expect(await files.edit('/y/a.md', 'Milk', '')).toEqual(denied('editing', '/y/a.md'))
    expect(await files.move('/b.md', '/y/b.md')).toEqual(denied('writing', '/y/b.md'))
    expect(await files.read('/b.md')).toMatchObject({ ok: true })
  })

  it.for([
    [{ '/': 'files' }, 'routes["/"]'],
    [{ policies: 'files' }, 'routes["policies"]'],
    [{ '/a/../b': 'files' }, 'routes["/a/../b"]'],
    [{ '/a': 'files', '/a/': 'files' }, 'two mounts at /a'],
    [{ '/a': 'nothing' }, 'routes["/a"] must be Files'],
  ] as const)('refuses the routes %j', async ([given, named]) => {
    const files = await filled()
    const routes = Object.fromEntries(Object.entries(given).map(([at, what]) => [at, what === 'files' ? files : what]))
    let error: unknown
    try {
      compositeFiles({ default: files, routes: routes as never })
    } catch (reason) {
      error = reason
    }
    expect(KeepsakeError.isInstance(error, 'invalid_value')).toBe(true)
    expect((error as Error).message).toContain(named)
  })
})

import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import { layers } from '../src/layers.ts'
import { publishedPackages, repoRoot, runtimeDependencies, workspaces, type Workspace } from '../src/workspace.ts'

const OURS = '@keepsake/'
const ours = (names: Iterable<string>): string[] =>
  [...names]
    .filter((n) => n.startsWith(OURS))
    .map((n) => n.slice(OURS.length))
    .toSorted()
const references = (dir: string): string[] => {
  const { references: found = [] } = JSON.parse(readFileSync(join(dir, 'tsconfig.json'), 'utf8')) as {
    references?: { path: string }[]
  }
  return found.map(({ path }) => path).toSorted()
}

it('every published package has its place in the layers, and every place a package', () => {
  const names = ours(publishedPackages().map(({ manifest }) => manifest.name))
  expect(Object.keys(layers).toSorted()).toEqual(names)
})

it('no arrow points back', () => {
  const above = (name: string): string[] => (layers[name]?.uses ?? []).flatMap((used) => [used, ...above(used)])
  for (const name of Object.keys(layers)) expect(above(name)).not.toContain(name)
})

describe.for(publishedPackages())('$path', ({ manifest, dir }: Workspace) => {
  const name = manifest.name.slice(OURS.length)

  it('depends only on what lies below it', () => {
    const allowed = layers[name]?.uses ?? []
    expect(ours(runtimeDependencies(manifest)).filter((used) => !allowed.includes(used))).toEqual([])
  })

  it('uses no command line, not even in its tests', () => {
    expect(ours(Object.keys({ ...manifest.devDependencies, ...manifest.dependencies }))).not.toContain('cli')
  })

  it('tells tsc of the packages that it is compiled against, and of no other', () => {
    // An entry of a package may have a project of its own, such as `../files/src/local`.
    const packages = references(dir).map((path) => path.split('/').slice(0, 2).join('/'))
    expect([...new Set(packages)]).toEqual(ours(runtimeDependencies(manifest)).map((used) => `../${used}`))
  })
})

it('the top tsconfig builds all that has a tsconfig, and the tests', () => {
  const found = globSync('packages/*/{.,src/*}/tsconfig.json', { cwd: repoRoot })
  const projects = found.map((file) => normalize(dirname(file)))
  expect(references(repoRoot)).toEqual([...projects, 'tsconfig.test.json'].toSorted())
})

it('every package under test has a script for it, so that `pnpm test` misses none', () => {
  const silent = workspaces().filter(
    ({ dir, manifest }) => existsSync(join(dir, 'test')) && !manifest.scripts?.['test'],
  )
  expect(silent.map(({ path }) => path)).toEqual([])
})

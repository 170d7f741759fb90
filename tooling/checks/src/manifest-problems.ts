import { isDeepStrictEqual } from 'node:util'
import type { Workspace } from './workspace.ts'

/** What is wrong with the package.json of a package that is going to be published. */
export function manifestProblems({ manifest, path }: Workspace): string[] {
  const problems: string[] = []
  const expect = (holds: boolean, problem: string): void => {
    if (!holds) problems.push(`package.json: ${problem}`)
  }
  const folder = path.slice(path.lastIndexOf('/') + 1)
  expect(manifest.name === `@keepsake/${folder}`, `the name is not @keepsake/${folder}, as the folder says`)
  expect((manifest.description ?? '').length > 20, '"description" is missing or says too little')
  expect(manifest.license === 'Apache-2.0', '"license" is not Apache-2.0')
  expect(manifest.type === 'module', '"type" is not "module"')
  expect(manifest.sideEffects === false, '"sideEffects" is not false')
  expect(manifest.engines?.['node'] !== undefined, '"engines.node" is missing')
  expect(manifest.publishConfig?.access === 'public', '"publishConfig.access" is not "public"')
  expect(isDeepStrictEqual(manifest.files, ['dist', 'src', 'README.md']), '"files" is not dist, src, README.md')

  const sources = manifest.exports ?? {}
  const published = manifest.publishConfig?.exports ?? {}
  expect('.' in sources || manifest.bin !== undefined, 'there is neither an export "." nor a "bin"')
  expect(
    isDeepStrictEqual(Object.keys(sources), Object.keys(published)),
    `"exports" names ${Object.keys(sources).join(', ')} but "publishConfig.exports" ${Object.keys(published).join(', ')}`,
  )
  for (const [subpath, source] of Object.entries(sources)) {
    // A package without entries exports its package.json, so that none of its modules can be imported.
    if (subpath === './package.json') continue
    const name = /^\.\/src\/(.+)\.ts$/.exec(String(source))?.[1]
    expect(name !== undefined, `exports["${subpath}"] is not a file ./src/*.ts`)
    const built = { types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` }
    expect(
      isDeepStrictEqual(published[subpath], built),
      `publishConfig.exports["${subpath}"] is not ${JSON.stringify(built)}`,
    )
  }
  const bins = Object.entries(manifest.bin ?? {}).map(([n, file]) => [
    n,
    file.replace('/src/', '/dist/').replace(/\.ts$/, '.js'),
  ])
  expect(
    isDeepStrictEqual(Object.fromEntries(bins), manifest.publishConfig?.bin ?? {}),
    '"bin" and "publishConfig.bin" do not name the same programs',
  )
  return problems
}

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { entriesOf, exportedNames, formatApi } from '../src/api-names.ts'
import { publishedPackages } from '../src/workspace.ts'

// The command line has none: it is a program.
const packages = publishedPackages().filter((workspace) => entriesOf(workspace).length > 0)

describe.for(packages)('the public names of $manifest.name', (workspace) => {
  const entries = entriesOf(workspace)

  it('are those in tooling/checks/api (meant to change them? pnpm vitest run tooling/checks/test/api.test.ts -u)', async () => {
    const file = `../api/${workspace.manifest.name.replace('@keepsake/', '')}.txt`
    await expect(formatApi(entries)).toMatchFileSnapshot(file)
  })

  it.for(entries)('$specifier gives exactly these when imported', async ({ specifier, file }) => {
    const module = (await import(specifier)) as object
    expect(Object.keys(module).toSorted()).toEqual(exportedNames(readFileSync(file, 'utf8')).values)
  })
})

describe('reading exported names', () => {
  it('knows lists, declarations, renames and types', () => {
    const source = [
      '/** export { no } */',
      "// export { neither } from './a.ts'",
      "export { a, type B, c as d } from './a.ts'",
      "export type { E } from './e.ts'",
      'export async function f(): Promise<void> {}',
      'export interface G {}',
      'export const h = 1',
    ].join('\n')
    expect(exportedNames(source)).toEqual({ values: ['a', 'd', 'f', 'h'], types: ['B', 'E', 'G'] })
  })

  it('refuses a star', () => {
    expect(() => exportedNames("export * from './a.ts'")).toThrow('list the names')
  })
})

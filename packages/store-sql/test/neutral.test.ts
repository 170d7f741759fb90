import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** The sources that a module is made of, with what they import from elsewhere, at once or later. */
function sourcesOf(entry: URL, seen: Map<string, string[]> = new Map()): Map<string, string[]> {
  if (seen.has(entry.href)) return seen
  const code = codeOf(entry)
  const imports = [...code.matchAll(/(?:from |import\()'([@.\w/-]+)'/g)].map(([, name]) => name!)
  seen.set(
    entry.href,
    imports.filter((name) => !name.startsWith('.')),
  )
  for (const name of imports) if (name.startsWith('.')) sourcesOf(new URL(name, entry), seen)
  return seen
}

function codeOf(file: URL): string {
  return readFileSync(file, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
}

test('the PostgreSQL store runs anywhere where its client does: nothing of Node is imported or used', () => {
  const sources = sourcesOf(new URL('../src/postgres.ts', import.meta.url))
  expect(sources.size).toBeGreaterThan(20)
  expect([...new Set([...sources.values()].flat())].toSorted()).toEqual(['@keepsake/core', 'kysely', 'pg'])
  for (const file of sources.keys()) {
    expect(file).not.toMatch(/sqlite|mysql/)
    expect(codeOf(new URL(file))).not.toMatch(/\b(Buffer|process|global|require|setImmediate|__dirname)\b/)
  }
})

test('importing a store on a server loads neither its client nor Kysely', () => {
  for (const name of ['postgres', 'mysql']) {
    for (const file of sourcesOf(new URL(`../src/${name}.ts`, import.meta.url)).keys()) {
      expect(codeOf(new URL(file))).not.toMatch(/^import (?!type)[^;]*? from '(pg|mysql2|kysely)'/m)
    }
  }
})

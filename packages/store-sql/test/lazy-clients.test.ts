import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** The sources that a module of ours is made of: file URLs and their code without comments. */
function sourcesOf(entry: URL, found: Map<string, string> = new Map()): Map<string, string> {
  if (found.has(entry.href)) return found
  const code = readFileSync(entry, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
  found.set(entry.href, code)
  for (const [, path] of code.matchAll(/(?:from |import\()'(\.[^']*)'/g)) sourcesOf(new URL(path!, entry), found)
  return found
}

test.each(['postgres', 'mysql'])('importing the store on %s loads neither its client nor Kysely', (name) => {
  const sources = sourcesOf(new URL(`../src/${name}.ts`, import.meta.url))
  expect(sources.size).toBeGreaterThan(20)
  for (const code of sources.values()) expect(code).not.toMatch(/^import (?!type)[^;]*? from '(pg|mysql2|kysely)'/m)
})

test('the store on PostgreSQL brings nothing of the other dialects', () => {
  const sources = sourcesOf(new URL('../src/postgres.ts', import.meta.url))
  expect([...sources.keys()].filter((file) => /sqlite|mysql/.test(file))).toEqual([])
})

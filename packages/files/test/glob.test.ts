import { describe, expect, it } from 'vitest'
import { compileGlob, escapeGlob, type Glob } from '../src/glob.ts'
import { toPath } from '../src/paths.ts'
import { harmlessPaths } from '../../store-testing/src/files/hostile-paths.ts'

function compiled(pattern: string): Glob {
  const glob = compileGlob(pattern)
  if (!glob.ok) throw new Error(glob.message)
  return glob.value
}

const fits = (pattern: string, path: string): boolean => compiled(pattern).matches(path.slice(1).split('/'))

describe('compileGlob', () => {
  it.for([
    ['*.md', ['/a.md', '/.md', '/.hidden.md', '/a b.md', '/😀.md'], ['/a.txt', '/notes/a.md', '/a.MD', '/a.md.bak']],
    ['/*.md', ['/a.md'], ['/notes/a.md']],
    ['notes/*', ['/notes/a', '/notes/.a'], ['/notes', '/notes/a/b', '/notes-old/a']],
    ['**', ['/a', '/a/b', '/.a/.b'], []],
    ['/notes/**', ['/notes/a', '/notes/a/b', '/notes'], ['/notes-old/a', '/a/notes/b']],
    ['**/a.md', ['/a.md', '/x/a.md', '/x/y/a.md'], ['/xa.md', '/a.md/x']],
    ['/a/**/b', ['/a/b', '/a/x/b', '/a/x/y/b'], ['/ab', '/a/xb', '/b']],
    ['/**/x/**/y', ['/x/y', '/a/x/b/y', '/x/x/y/y'], ['/y/x', '/x']],
    ['a**b', ['/ab', '/axxb'], ['/a/b']],
    ['?.md', ['/a.md', '/é.md', '/😀.md'], ['/.md', '/ab.md']],
    ['a?b', ['/axb', '/a?b'], ['/ab', '/a/b']],
    ['*a*a*b', ['/aab', '/xaxaxb'], ['/ab', '/aa']],
    ['[abc].md', ['/a.md', '/c.md'], ['/d.md', '/ab.md', '/[abc].md']],
    ['[a-c1-3]', ['/b', '/2'], ['/d', '/-', '/4']],
    ['[!a-c]', ['/d', '/-'], ['/a', '/b']],
    ['[^a]', ['/b'], ['/a']],
    ['[]]', ['/]'], ['/[]']],
    ['[a-]', ['/a', '/-'], ['/b']],
    ['[-a]', ['/a', '/-'], ['/b']],
    ['[ä-ü]', ['/ä', '/ö'], ['/a', '/z']],
    ['[😀😁]', ['/😀', '/😁'], ['/😂']],
    ['[abc', ['/[abc'], ['/a']],
    ['[[]...slug].md', ['/[...slug].md'], ['/s.md']],
    ['[...slug].md', ['/s.md', '/..md'], ['/[...slug].md']],
    ['*.{md,txt}', ['/a.md', '/a.txt'], ['/a.mdx', '/a.{md,txt}']],
    ['{a,b}{1,2}', ['/a1', '/b2'], ['/ab', '/12']],
    ['{a,{b,c}d}', ['/a', '/bd', '/cd'], ['/b', '/ad']],
    ['{notes/*,a}.md', ['/notes/x.md', '/a.md'], ['/notes.md']],
    ['a{,b}', ['/a', '/ab'], ['/b']],
    ['{a}', ['/{a}'], ['/a']],
    ['{a,b', ['/{a,b'], ['/a']],
    ['a}', ['/a}'], ['/a']],
    ['[{]a,b}', ['/{a,b}'], ['/a']],
    ['a+(b|c)', ['/a+(b|c)'], ['/ab', '/abc']],
    ['notes (1).md', ['/notes (1).md'], ['/notes 1.md']],
    ['a.c', ['/a.c'], ['/abc']],
    ['!a', ['/!a'], ['/b']],
    ['$^|a', ['/$^|a'], ['/a']],
  ] as const)('%s', ([pattern, yes, no]) => {
    expect(yes.filter((path) => !fits(pattern, path))).toEqual([])
    expect(no.filter((path) => fits(pattern, path))).toEqual([])
  })

  it.for([
    ['**/*.md', [], Infinity],
    ['*.md', [], 1],
    ['/notes/2024/*.md', ['notes', '2024'], 3],
    ['/notes/a.md', ['notes'], 2],
    ['/notes/**/a.md', ['notes'], Infinity],
    ['/notes/{a,b}/*', ['notes'], 3],
    ['{/notes/a,/notes}', [], 2],
    ['{/x/a,/x/b/c}', ['x'], 3],
    ['{/x/a,/y/b}', [], 2],
    ['/n[o]tes/a/*', [], 3],
  ] as const)('looks for %s below %j, %s deep', ([pattern, base, maxDepth]) => {
    expect(compiled(pattern)).toMatchObject({ base, maxDepth })
  })

  it.for([
    ['..'],
    ['../*'],
    ['/a/../*'],
    ['{..,a}/b'],
    ['~/*'],
    ['a\\*'],
    ['*\0'],
    ['*\n'],
    ['\uD800*'],
    ['{a,b}'.repeat(7)],
    [`{${'a,'.repeat(200)}}`],
    ['*'.repeat(1001)],
    [undefined],
    [/x/],
  ])('refuses %s', ([pattern]) => {
    expect(compileGlob(pattern)).toMatchObject({ ok: false, code: 'invalid_path' })
  })

  it('takes 100 alternatives', () => {
    expect(compiled(`{${Array.from({ length: 100 }, (_, i) => i).join(',')}}`).matches(['99'])).toBe(true)
  })

  it('is done soon with the worst of patterns', () => {
    const name = 'a'.repeat(255)
    const deep = 'a/'.repeat(490).split('/').slice(0, -1)
    const startMs = performance.now()
    expect(compiled(`${'*a'.repeat(120)}*b`).matches([name])).toBe(false)
    expect(compiled(`${'**/a/'.repeat(150)}b`).matches(deep)).toBe(false)
    expect(compiled(`${'**/*a*/'.repeat(100)}b`).matches(deep)).toBe(false)
    expect(compileGlob('['.repeat(1000)).ok).toBe(false)
    expect(compileGlob('{'.repeat(900)).ok).toBe(false)
    // As a regular expression, the first would not end in this century.
    expect(performance.now() - startMs).toBeLessThan(2000)
  })
})

describe('escapeGlob', () => {
  it.for(harmlessPaths)('makes a pattern that only $name fits', ({ path }) => {
    const segments = String(path)
      .split('/')
      .filter((segment) => segment !== '')
    const glob = compiled(escapeGlob(toPath(segments)))
    expect(glob.matches(segments)).toBe(true)
    expect(glob.matches([...segments.slice(0, -1), `${segments.at(-1)}x`])).toBe(false)
    expect(glob.maxDepth).toBe(segments.length)
  })
})

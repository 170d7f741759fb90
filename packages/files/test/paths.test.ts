import { KeepsakeError } from '@keepsake/core'
import { describe, expect, it } from 'vitest'
import { pathSegment } from '../src/path-segment.ts'
import { parseFilePath, parsePath } from '../src/paths.ts'
import { harmlessPaths, refusedPaths } from '../../store-testing/src/files/hostile-paths.ts'

describe('parsePath', () => {
  it('has at least 60 refused paths to stand', () => {
    expect(refusedPaths.length).toBeGreaterThanOrEqual(60)
  })

  it.for(refusedPaths)('refuses $name, and says why', ({ path }) => {
    const parsed = parsePath(path)
    expect(parsed).toEqual({ ok: false, code: 'invalid_path', message: expect.stringMatching(/^invalid_path: ./) })
  })

  it.for(harmlessPaths)('takes $name', ({ path }) => {
    expect(parsePath(path).ok).toBe(true)
  })

  it.for([
    ['', '/', []],
    ['/', '/', []],
    ['.', '/', []],
    ['a.md', '/a.md', ['a.md']],
    ['./notes//./a.md', '/notes/a.md', ['notes', 'a.md']],
    ['/notes/', '/notes', ['notes']],
    ['/ a ', '/ a ', [' a ']],
    ['/A.md', '/A.md', ['A.md']],
  ] as const)('"%s" is %s', ([written, path, segments]) => {
    expect(parsePath(written)).toEqual({ ok: true, value: { path, segments } })
  })

  it('measures in bytes', () => {
    // 111 times 9 bytes and a last byte: 1,000.
    expect(parsePath(`${'/abcdefgh'.repeat(111)}/`)).toMatchObject({ ok: true })
    expect(parsePath(`${'/abcdefgh'.repeat(111)}i`)).toMatchObject({ ok: true })
    expect(parsePath(`${'/abcdefgh'.repeat(111)}ij`)).toMatchObject({ ok: false })
    // 255 bytes: 85 characters of 3; 63 of 4 are 252.
    expect(parsePath(`/${'笔'.repeat(85)}`)).toMatchObject({ ok: true })
    expect(parsePath(`/${'笔'.repeat(86)}`)).toMatchObject({ ok: false })
    expect(parsePath(`/${'😀'.repeat(63)}abc`)).toMatchObject({ ok: true })
    expect(parsePath(`/${'😀'.repeat(64)}`)).toMatchObject({ ok: false })
  })

  it('takes many slashes, and not any number', () => {
    expect(parsePath(`${'/'.repeat(3999)}a`)).toMatchObject({ value: { path: '/a' } })
    expect(parsePath(`${'/'.repeat(4000)}a`)).toMatchObject({ ok: false })
  })

  it('tells files from directories', () => {
    expect(parseFilePath('/')).toMatchObject({ code: 'is_directory' })
    expect(parseFilePath('/a/')).toMatchObject({ code: 'invalid_path' })
    expect(parseFilePath('/a')).toMatchObject({ value: { path: '/a' } })
  })
})

describe('pathSegment', () => {
  it.for([['ada'], ['Ada_Lovelace-1815'], ['0'], ['-'], ['a'.repeat(300)]])('takes %s', ([id = '']) => {
    expect(pathSegment(id)).toBe(id)
  })

  it.for([
    ['', '""'],
    ['..', '".."'],
    ['a/b', '"a/b"'],
    ['a.b', '"a.b"'],
    ['a b', '"a b"'],
    ['~ada', '"~ada"'],
    ['ada\n', '"ada\\n"'],
    ['ä', '"ä"'],
    ['\uD800', '"\\ud800"'],
    [undefined, 'undefined'],
    [null, 'null'],
    [7, 'a number'],
    [['ada'], 'an array'],
  ] as const)('refuses %j and names it', ([id, named]) => {
    let error: unknown
    try {
      pathSegment(id as string)
    } catch (reason) {
      error = reason
    }
    expect(KeepsakeError.isInstance(error, 'invalid_key')).toBe(true)
    expect((error as Error).message.startsWith(`${named} cannot be a path segment`)).toBe(true)
  })
})

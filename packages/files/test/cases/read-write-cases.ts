import { KeepsakeError } from '@keepsake/core'
import { describe, expect, it } from 'vitest'
import { MAX_FILE_BYTES, type Files } from '../../src/files.ts'
import { bytesOf, codeOf, pathsOf, textAt, valueOf, type Open } from './opened.ts'

export function readWriteCases(name: string, open: Open): void {
  describe(`${name}: reading and writing`, () => {
    it('begins with an empty root', async () => {
      const { files } = await open()
      expect(await files.ls('/')).toEqual({ ok: true, value: [] })
      expect(await files.glob('**')).toEqual({ ok: true, value: [] })
      expect(await files.grep('a')).toEqual({ ok: true, value: [] })
      expect(await files.read('/a.md')).toEqual({ ok: false, code: 'not_found', message: 'file not found' })
    })

    it('reads back what was written, under every spelling of the path', async () => {
      const { files, again } = await open()
      const { version } = valueOf(await files.write('notes/deep/a.md', 'hello\n'))
      for (const path of ['/notes/deep/a.md', 'notes/deep/a.md', '//notes/./deep//a.md']) {
        expect(await again.read(path)).toEqual({ ok: true, value: { content: 'hello\n', version } })
      }
    })

    it.for([
      ['nothing', ''],
      ['CRLF', 'a\r\nb\r\n'],
      ['mixed endings and lone CR', 'a\r\nb\nc\rd'],
      ['a byte-order mark', '\uFEFFa\n'],
      ['U+0000', 'a\0b'],
      ['all of Unicode', 'ä 笔记 👩‍👩‍👧 \uFFFF'],
      ['no last line ending', 'a'],
      ['something like an envelope', '{"text":"x","bytes":[1]}'],
    ])('keeps %s exactly', async ([, content = '']) => {
      const { files, again } = await open()
      valueOf(await files.write('/a.md', content))
      expect(await textAt(again, '/a.md')).toBe(content)
      const [downloaded] = await again.download(['/a.md'])
      expect(valueOf(downloaded!).bytes).toEqual(bytesOf(content))
    })

    it('creates only with ifVersion null', async () => {
      const { files } = await open()
      valueOf(await files.write('/a.md', 'first', { ifVersion: null }))
      const second = await files.write('/a.md', 'second', { ifVersion: null })
      expect(second).toEqual({ ok: false, code: 'exists', message: 'file already exists' })
      expect(await textAt(files, '/a.md')).toBe('first')
    })

    it('replaces a named version and no other', async () => {
      const { files, again } = await open()
      const first = valueOf(await files.write('/a.md', 'one'))
      const second = valueOf(await again.write('/a.md', 'two', { ifVersion: first.version }))
      expect(codeOf(await files.write('/a.md', 'three', { ifVersion: first.version }))).toBe('conflict')
      expect(valueOf(await files.read('/a.md'))).toEqual({ content: 'two', version: second.version })
      expect(second.version).not.toBe(first.version)
    })

    it.for([['no version at all'], ['-1'], ['0'], ['']])('finds %s no version of anything', async ([version = '']) => {
      const { files } = await open()
      expect(codeOf(await files.write('/new/a.md', 'x', { ifVersion: version }))).toBe('conflict')
      expect(await pathsOf(files.ls('/'))).toEqual([])
      valueOf(await files.write('/a.md', 'x'))
      expect(codeOf(await files.write('/a.md', 'y', { ifVersion: version }))).toBe('conflict')
      expect(codeOf(await files.delete('/a.md', { ifVersion: version }))).toBe('conflict')
      expect(await textAt(files, '/a.md')).toBe('x')
    })

    it('one of two creators wins', async () => {
      const { files, again } = await open()
      const results = await Promise.all([
        files.write('/a.md', 'left', { ifVersion: null }),
        again.write('/a.md', 'right', { ifVersion: null }),
      ])
      expect(results.map(codeOf).toSorted()).toEqual(['exists', 'ok'])
      expect(await textAt(files, '/a.md')).toBe(results[0].ok ? 'left' : 'right')
    })

    it('one of two writers of the same version and the same text wins', async () => {
      const { files, again } = await open()
      const { version } = valueOf(await files.write('/a.md', 'one'))
      const results = await Promise.all([
        files.write('/a.md', 'two', { ifVersion: version }),
        again.write('/a.md', 'two', { ifVersion: version }),
      ])
      expect(results.map(codeOf).toSorted()).toEqual(['conflict', 'ok'])
    })

    it('keeps directories and files apart', async () => {
      const { files } = await open()
      valueOf(await files.write('/notes/a.md', 'x'))
      expect(codeOf(await files.read('/notes'))).toBe('is_directory')
      expect(codeOf(await files.write('/notes', 'x'))).toBe('is_directory')
      expect(codeOf(await files.edit('/notes', 'a', 'b'))).toBe('is_directory')
      expect(codeOf(await files.delete('/notes'))).toBe('is_directory')
      expect(codeOf(await files.move('/notes', '/other'))).toBe('is_directory')
      expect(codeOf(await files.read('/notes/a.md/b.md'))).toBe('not_found')
      expect(codeOf(await files.edit('/notes/a.md/b.md', 'a', 'b'))).toBe('not_found')
      expect(codeOf(await files.delete('/notes/a.md/b.md'))).toBe('not_found')
      expect(codeOf(await files.write('/notes/a.md/b.md', 'x'))).toBe('exists')
      expect(codeOf(await files.write('/notes/a.md/deep/b.md', 'x', { ifVersion: null }))).toBe('exists')
      expect(codeOf(await files.move('/notes/a.md', '/notes/a.md/b.md'))).toBe('exists')
      expect(await pathsOf(files.glob('**'))).toEqual(['/notes/a.md'])
    })

    it.for([['/'], [''], ['.'], ['//']])('knows that "%s" is the root', async ([path = '']) => {
      const { files } = await open()
      expect(codeOf(await files.ls(path))).toBe('ok')
      expect(codeOf(await files.read(path))).toBe('is_directory')
      expect(codeOf(await files.write(path, 'x'))).toBe('is_directory')
      expect(codeOf(await files.delete(path))).toBe('is_directory')
    })

    it('takes no slash at the end of a file', async () => {
      const { files } = await open()
      expect(codeOf(await files.write('/notes/', 'x'))).toBe('invalid_path')
      expect(await pathsOf(files.ls('/'))).toEqual([])
    })

    it('refuses half a surrogate pair before anything is written', async () => {
      const { files } = await open()
      valueOf(await files.write('/a.md', 'cut here'))
      expect(codeOf(await files.write('/b.md', 'cut \uD83D'))).toBe('not_text')
      expect(codeOf(await files.edit('/a.md', 'here', '\uD83D'))).toBe('not_text')
      expect(await textAt(files, '/a.md')).toBe('cut here')
      expect(await pathsOf(files.ls('/'))).toEqual(['/a.md'])
    })

    it('takes a file of 2 MiB and not one byte more', async () => {
      const { files } = await open()
      const full = 'a'.repeat(MAX_FILE_BYTES)
      valueOf(await files.write('/a.md', full))
      expect((await textAt(files, '/a.md')).length).toBe(2_097_152)
      expect(codeOf(await files.write('/b.md', `${full}a`))).toBe('too_large')
      // Two bytes each.
      expect(codeOf(await files.write('/b.md', 'é'.repeat(1_048_577)))).toBe('too_large')
      expect((await files.upload([{ path: '/b.md', bytes: new Uint8Array(2_097_153) }])).map(codeOf)).toEqual([
        'too_large',
      ])
      valueOf(await files.write('/c.md', `${'a'.repeat(MAX_FILE_BYTES - 1)}b`))
      expect(codeOf(await files.edit('/c.md', 'b', 'bb'))).toBe('too_large')
      expect(await pathsOf(files.ls('/'))).toEqual(['/a.md', '/c.md'])
    })

    it.for([
      ['write', (files: Files) => files.write('/a.md', 42 as never)],
      ['write', (files: Files) => files.write('/a.md', 'x', { ifVersion: 3 as never })],
      ['edit', (files: Files) => files.edit('/a.md', undefined as never, 'x')],
      ['edit', (files: Files) => files.edit('/a.md', 'x', {} as never)],
      ['grep', (files: Files) => files.grep(/x/ as never)],
      ['grep', (files: Files) => files.grep('x', { limit: 0 })],
      ['grep', (files: Files) => files.grep('x', { limit: 1.5 })],
      ['grep', (files: Files) => files.grep('x', { limit: Number.NaN })],
      ['upload', (files: Files) => files.upload([{ path: '/a.md', bytes: 'x' as never }])],
    ] as const)('throws for an argument of a wrong type: %s', async ([, call]) => {
      const { files } = await open()
      const error = await call(files).then(
        () => undefined,
        (reason: unknown) => reason,
      )
      expect(KeepsakeError.isInstance(error, 'invalid_value')).toBe(true)
      expect(await pathsOf(files.ls('/'))).toEqual([])
    })

    it('throws for a signal that has fired, on every verb', async () => {
      const { files } = await open()
      const o = { signal: AbortSignal.abort() }
      const calls = [
        files.ls('/', o),
        files.read('/a.md', o),
        files.write('/a.md', 'x', o),
        files.edit('/a.md', 'x', 'y', o),
        files.glob('**', o),
        files.grep('x', o),
        files.upload([{ path: '/a.md', bytes: bytesOf('x') }], o),
        files.download(['/a.md'], o),
        files.delete('/a.md', o),
        files.move('/a.md', '/b.md', o),
      ]
      for (const result of await Promise.allSettled(calls)) {
        expect(result.status === 'rejected' && KeepsakeError.isInstance(result.reason, 'aborted')).toBe(true)
      }
      expect(await pathsOf(files.ls('/'))).toEqual([])
    })
  })
}

import { describe, expect, it } from 'vitest'
import { bytesOf, codeOf, textAt, valueOf, type Open } from './opened.ts'

export function bytesCases(name: string, open: Open): void {
  describe(`${name}: bytes that are no text`, () => {
    // 0xFF is nowhere in UTF-8, C3 28 is a broken pair, ED A0 80 a surrogate, and the last a byte-order mark of UTF-16.
    it.for([[[0xff]], [[0x61, 0xc3, 0x28]], [[0xed, 0xa0, 0x80]], [[0xff, 0xfe, 0x61, 0x00]]])(
      'are carried, and never changed into text: %s',
      async ([numbers = []]) => {
        const { files, again } = await open()
        const bytes = Uint8Array.from(numbers)
        const [uploaded] = await files.upload([{ path: '/a.bin', bytes }])
        const { version } = valueOf(uploaded!)
        expect(await again.read('/a.bin')).toEqual({ ok: false, code: 'not_text', message: 'file is not UTF-8 text' })
        expect(codeOf(await again.edit('/a.bin', 'a', 'b'))).toBe('not_text')
        expect(await again.grep('a')).toEqual({ ok: true, value: [] })
        const [downloaded] = await again.download(['/a.bin'])
        expect(downloaded).toEqual({ ok: true, value: { path: '/a.bin', bytes } })
        valueOf(await files.write('/a.bin', 'text now', { ifVersion: version }))
        expect(await textAt(again, '/a.bin')).toBe('text now')
      },
    )

    it('answers for each file of an upload and a download', async () => {
      const { files } = await open()
      const uploaded = await files.upload([
        { path: '/a.md', bytes: bytesOf('first') },
        { path: '../b.md', bytes: bytesOf('x') },
        { path: '/a.md', bytes: bytesOf('second') },
      ])
      expect(uploaded.map(codeOf)).toEqual(['ok', 'invalid_path', 'ok'])
      const downloaded = await files.download(['/missing.md', '/a.md', '..'])
      expect(downloaded.map(codeOf)).toEqual(['not_found', 'ok', 'invalid_path'])
      expect(valueOf(downloaded[1]!).bytes).toEqual(bytesOf('second'))
    })

    it('are those of the moment of the call', async () => {
      const { files } = await open()
      const all = [bytesOf('one'), bytesOf('two'), new Uint8Array([0xff])]
      const uploading = files.upload(all.map((bytes, i) => ({ path: `/${i}`, bytes })))
      for (const bytes of all) bytes.fill(0x78)
      const versions = (await uploading).map((result) => valueOf(result).version)
      const [one, two] = [valueOf(await files.read('/0')), valueOf(await files.read('/1'))]
      expect([one.content, two.content]).toEqual(['one', 'two'])
      expect([one.version, two.version]).toEqual(versions.slice(0, 2))
      const [third] = await files.download(['/2'])
      expect(valueOf(third!).bytes).toEqual(Uint8Array.of(0xff))
    })
  })
}

import { expectEqual } from '../expect.ts'
import { expectSame } from '../model-cases/expect-same.ts'
import { bytesOf, codeOf, expectCode, expectPaths, expectText, valueOf } from './expect-files.ts'
import { filesCasesOf, type FilesCase, type OpenedFiles } from './files-case.ts'

/** 0xFF is nowhere in UTF-8, C3 28 is a broken pair, ED A0 80 a surrogate, and the last a byte-order mark of UTF-16. */
const NO_TEXT = [[0xff], [0x61, 0xc3, 0x28], [0xed, 0xa0, 0x80], [0xff, 0xfe, 0x61, 0x00]]

export const fileBytesCases: FilesCase[] = filesCasesOf('bytes', [
  ...NO_TEXT.map(
    (numbers) =>
      [
        `bytes that are no text are carried, and never changed into text: ${numbers.join(' ')}`,
        async ({ files, again }: OpenedFiles) => {
          const bytes = Uint8Array.from(numbers)
          const [uploaded] = await files.upload([{ path: '/a.bin', bytes }])
          const { version } = valueOf(uploaded!)
          expectSame(
            await again.read('/a.bin'),
            { ok: false, code: 'not_text', message: 'file is not UTF-8 text' },
            'a read',
          )
          await expectCode(again.edit('/a.bin', 'a', 'b'), 'not_text', 'an edit')
          await expectPaths(again.grep('a'), [])
          const [downloaded] = await again.download(['/a.bin'])
          expectSame(downloaded, { ok: true, value: { path: '/a.bin', bytes, version } }, 'a download')
          valueOf(await files.write('/a.bin', 'text now', { ifVersion: version }))
          await expectText(again, '/a.bin', 'text now')
        },
      ] as const,
  ),
  [
    'uploads and downloads answer for each file',
    async ({ files }) => {
      const uploaded = await files.upload([
        { path: '/a.md', bytes: bytesOf('first') },
        { path: '../b.md', bytes: bytesOf('x') },
        { path: '/a.md', bytes: bytesOf('second') },
      ])
      expectEqual(uploaded.map(codeOf), ['ok', 'invalid_path', 'ok'], 'the upload')
      const downloaded = await files.download(['/missing.md', '/a.md', '..'])
      expectEqual(downloaded.map(codeOf), ['not_found', 'ok', 'invalid_path'], 'the download')
      expectSame(valueOf(downloaded[1]!).bytes, bytesOf('second'), 'its bytes')
      expectSame(await files.upload([]), [], 'an upload of nothing')
      expectSame(await files.download([]), [], 'a download of nothing')
    },
  ],
  [
    'an upload replaces the version that it names, and no other',
    async ({ files, again }) => {
      const [created, refused] = [
        await files.upload([{ path: '/a.bin', bytes: Uint8Array.of(0xff), ifVersion: null }]),
        await again.upload([{ path: '/a.bin', bytes: Uint8Array.of(0xfe), ifVersion: null }]),
      ]
      expectEqual(refused.map(codeOf), ['exists'], 'the second creation')
      const { version } = valueOf(created[0]!)
      const upload = (byte: number) =>
        again.upload([{ path: '/a.bin', bytes: Uint8Array.of(byte), ifVersion: version }])
      expectEqual((await upload(0xfd)).map(codeOf), ['ok'], 'over the version')
      expectEqual((await upload(0xfc)).map(codeOf), ['conflict'], 'over the version that is gone')
      const [downloaded] = await files.download(['/a.bin'])
      expectSame(valueOf(downloaded!).bytes, Uint8Array.of(0xfd), 'what is there')
    },
  ],
  [
    'uploaded bytes are those of the moment of the call',
    async ({ files }) => {
      const all = [bytesOf('one'), bytesOf('two'), new Uint8Array([0xff])]
      const uploading = files.upload(all.map((bytes, i) => ({ path: `/${i}`, bytes })))
      for (const bytes of all) bytes.fill(0x78)
      const versions = (await uploading).map((result) => valueOf(result).version)
      const [one, two] = [valueOf(await files.read('/0')), valueOf(await files.read('/1'))]
      expectEqual([one.content, two.content], ['one', 'two'], 'the texts')
      expectEqual([one.version, two.version], versions.slice(0, 2), 'their versions')
      const [third] = await files.download(['/2'])
      expectSame(valueOf(third!).bytes, Uint8Array.of(0xff), 'the bytes')
    },
  ],
])

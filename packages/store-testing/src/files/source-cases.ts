import { expectEqual } from '../expect.ts'
import { expectCode, expectText, valueOf } from './expect-files.ts'
import { filesCasesOf, type FilesCase } from './files-case.ts'

const FETCHED = 'untrusted:tool:fetch#c1'
const MARKED = { sources: [FETCHED] }

/** What a reader is told of where a file came from. */
async function originOf(files: Parameters<FilesCase['run']>[0]['files'], path: string) {
  const { sources = [], quarantined = false } = valueOf(await files.read(path))
  return { sources, quarantined }
}

export const sourceCases: FilesCase[] = filesCasesOf('sources', [
  [
    'a file names what it was derived from, and one without sources names nothing',
    async ({ files, again }) => {
      valueOf(await files.write('/a.md', 'a', { sources: ['thread:t1'] }))
      valueOf(await files.write('/b.md', 'b'))
      expectEqual(await originOf(again, '/a.md'), { sources: ['thread:t1'], quarantined: false }, 'the origin')
      expectEqual(await originOf(again, '/b.md'), { sources: [], quarantined: false }, 'the origin of another')
    },
  ],
  [
    'an untrusted source puts a file in quarantine by every way to write it',
    async ({ files, again }) => {
      const mine = { sources: [FETCHED], quarantined: true }
      valueOf(await files.write('/new.md', 'x', MARKED))
      valueOf(await files.write('/only.md', 'x', { ...MARKED, ifVersion: null }))
      const { version } = valueOf(await files.write('/over.md', 'x'))
      valueOf(await files.write('/over.md', 'y', { ...MARKED, ifVersion: version }))
      valueOf(await files.write('/edit.md', 'x'))
      valueOf(await files.edit('/edit.md', 'x', 'y', MARKED))
      const [uploaded] = await files.upload([{ path: '/bytes.md', bytes: new TextEncoder().encode('x') }], MARKED)
      valueOf(uploaded!)
      for (const path of ['/new.md', '/only.md', '/over.md', '/edit.md', '/bytes.md']) {
        expectEqual(await originOf(again, path), mine, path)
      }
      const [down] = await again.download(['/bytes.md'])
      expectEqual(valueOf(down!).quarantined, true, 'what a download says')
    },
  ],
  [
    'later writes by whoever leave a file in quarantine, and sources come together',
    async ({ files, again }) => {
      valueOf(await files.write('/a.md', 'one\ntwo\n', MARKED))
      valueOf(await again.edit('/a.md', 'one', '1'))
      const { version } = valueOf(await files.read('/a.md'))
      valueOf(await again.write('/a.md', 'whole', { ifVersion: version }))
      valueOf(await again.write('/a.md', 'whole again', { sources: ['thread:t1'] }))
      expectEqual(await originOf(files, '/a.md'), { sources: [FETCHED, 'thread:t1'], quarantined: true }, 'the origin')
    },
  ],
  [
    'nothing that a file says marks it or takes the mark away',
    async ({ files }) => {
      valueOf(await files.write('/a.md', '---\nquarantined: false\nsources: []\n---\n', MARKED))
      valueOf(await files.write('/b.md', `---\nquarantined: true\nsources: ['${FETCHED}']\n---\n`))
      expectEqual((await originOf(files, '/a.md')).quarantined, true, 'a file that denies it')
      expectEqual((await originOf(files, '/b.md')).quarantined, false, 'a file that claims it')
    },
  ],
  [
    'approve lets out the version that was looked at, with its text and sources',
    async ({ files, again }) => {
      const first = valueOf(await files.write('/a.md', 'one', MARKED))
      const second = valueOf(await again.edit('/a.md', 'one', 'two', { sources: ['untrusted:tool:mail#c2'] }))
      await expectCode(files.approve('/a.md', { ifVersion: first.version }), 'conflict', 'the version before')
      expectEqual((await originOf(again, '/a.md')).quarantined, true, 'after a version that is gone')
      const approved = valueOf(await files.approve('/a.md', { ifVersion: second.version }))
      const sources = ['tool:fetch#c1', 'tool:mail#c2']
      expectEqual(await originOf(again, '/a.md'), { sources, quarantined: false }, 'after that')
      await expectText(again, '/a.md', 'two')
      expectEqual(valueOf(await again.read('/a.md')).version, approved.version, 'the version that approve gives')
      valueOf(await again.approve('/a.md', { ifVersion: approved.version }))
      valueOf(await again.edit('/a.md', 'two', 'three', MARKED))
      expectEqual((await originOf(files, '/a.md')).quarantined, true, 'after another change')
      await expectCode(files.approve('/none.md', { ifVersion: 'x' }), 'not_found', 'no file')
    },
  ],
  [
    'a move takes the mark along, and a file that is made in its place has none',
    async ({ files, again }) => {
      valueOf(await files.write('/a.md', 'x', MARKED))
      valueOf(await files.move('/a.md', '/b/c.md'))
      valueOf(await again.write('/a.md', 'mine'))
      expectEqual(await originOf(again, '/b/c.md'), { sources: [FETCHED], quarantined: true }, 'what was moved')
      expectEqual(await originOf(again, '/a.md'), { sources: [], quarantined: false }, 'what is in its place')
    },
  ],
  [
    'a mark goes with its file',
    async ({ files, again }) => {
      valueOf(await files.write('/a.md', 'x', MARKED))
      valueOf(await files.delete('/a.md'))
      valueOf(await again.write('/a.md', 'mine'))
      expectEqual((await originOf(again, '/a.md')).quarantined, false, 'a new file')
    },
  ],
  [
    'grep says of lines that their file is in quarantine',
    async ({ files }) => {
      valueOf(await files.write('/a.md', 'tea', MARKED))
      valueOf(await files.write('/b.md', 'tea'))
      const found = valueOf(await files.grep('tea'))
      const marks = found.map(({ path, quarantined = false }) => [path, quarantined])
      expectEqual(
        marks,
        [
          ['/a.md', true],
          ['/b.md', false],
        ],
        'the marks',
      )
    },
  ],
  [
    'a write that is refused leaves the mark as it was',
    async ({ files }) => {
      valueOf(await files.write('/a.md', 'x'))
      await expectCode(files.write('/a.md', 'y', { ...MARKED, ifVersion: null }), 'exists', 'a creation')
      await expectCode(files.edit('/a.md', 'z', 'y', MARKED), 'no_match', 'an edit')
      expectEqual((await originOf(files, '/a.md')).quarantined, false, 'the file')
    },
  ],
  [
    'many sources are too many to keep, and the mark stays',
    async ({ files }) => {
      valueOf(await files.write('/a.md', 'x', MARKED))
      const many = Array.from({ length: 60 }, (_, i) => `thread:conversation-of-the-${i}th-day`)
      valueOf(await files.write('/a.md', 'y', { sources: many }))
      const { sources, quarantined } = await originOf(files, '/a.md')
      expectEqual([quarantined, sources.at(-1)], [true, many.at(-1)], 'the mark and the newest source')
    },
  ],
])

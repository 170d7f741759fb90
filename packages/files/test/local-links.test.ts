import { execFileSync, spawn } from 'node:child_process'
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { Files, Result } from '../src/files.ts'
import { localFiles } from '../src/local/local-files.ts'
import { harmlessPaths, refusedPaths, waysUp } from '../../store-testing/src/files/hostile-paths.ts'
import { temporaryFolders } from './temporary-folder.ts'

const folder = temporaryFolders()
const SECRET = 'the secret of the neighbour'

interface Neighbours {
  root: string
  neighbour: string
  files: Required<Files>
  /** What is on disk outside the root. */
  outside(): Record<string, string>
}

/** A root with a file, and a neighbour that nobody may read or change through it. */
function neighbours(): Neighbours {
  const base = folder()
  const [root, neighbour] = [join(base, 'root'), join(base, 'neighbour')]
  for (const path of [root, neighbour, join(root, 'notes')]) mkdirSync(path)
  writeFileSync(join(root, 'notes/a.md'), 'mine')
  writeFileSync(join(neighbour, 'secret.md'), SECRET)
  const outside = (): Record<string, string> => {
    const found = Object.fromEntries(readdirSync(base).map((name) => [name, '']))
    for (const entry of readdirSync(neighbour, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name)
      found[path] = entry.isDirectory() ? '' : readFileSync(path, 'utf8')
    }
    return found
  }
  return { root, neighbour, files: localFiles({ root }), outside }
}

async function everyVerb(files: Required<Files>, path: string): Promise<Result<unknown>[]> {
  const bytes = new TextEncoder().encode('x')
  return [
    await files.read(path),
    await files.write(path, 'x'),
    await files.write(path, 'x', { ifVersion: null }),
    await files.write(path, 'x', { ifVersion: 'v' }),
    await files.edit(path, 'secret', 'x'),
    ...(await files.upload([{ path, bytes }])),
    ...(await files.download([path])),
    await files.delete(path),
    await files.move(path, '/stolen.md'),
    await files.move('/notes/a.md', path),
  ]
}

const codes = (results: readonly Result<unknown>[]): string[] => [
  ...new Set(results.map((result) => (result.ok ? 'ok' : result.code))),
]

describe('links that lead out of the root', () => {
  it.for([
    ['a link to a file', (n: Neighbours) => symlinkSync(join(n.neighbour, 'secret.md'), join(n.root, 'x.md')), '/x.md'],
    [
      'a relative link to a file',
      (n: Neighbours) => symlinkSync('../neighbour/secret.md', join(n.root, 'x.md')),
      '/x.md',
    ],
    ['a link to a directory', (n: Neighbours) => symlinkSync(n.neighbour, join(n.root, 'x')), '/x/secret.md'],
    ['a new file behind a link', (n: Neighbours) => symlinkSync(n.neighbour, join(n.root, 'x')), '/x/new.md'],
    [
      'a new directory behind a link',
      (n: Neighbours) => symlinkSync(n.neighbour, join(n.root, 'x')),
      '/x/new/deep/a.md',
    ],
    ['a link to the parent', (n: Neighbours) => symlinkSync('..', join(n.root, 'x')), '/x/neighbour/secret.md'],
    ['a dangling link', (n: Neighbours) => symlinkSync(join(n.neighbour, 'new.md'), join(n.root, 'x.md')), '/x.md'],
    ['below a dangling link', (n: Neighbours) => symlinkSync(join(n.neighbour, 'new'), join(n.root, 'x')), '/x/a.md'],
    ['a dangling link inside', (n: Neighbours) => symlinkSync('nothing.md', join(n.root, 'x.md')), '/x.md'],
    ['a link to itself', (n: Neighbours) => symlinkSync('x.md', join(n.root, 'x.md')), '/x.md'],
    [
      'links to each other',
      (n: Neighbours) => (symlinkSync('y', join(n.root, 'x')), symlinkSync('x', join(n.root, 'y'))),
      '/x/a.md',
    ],
    [
      'a link over a link',
      (n: Neighbours) => (symlinkSync('y', join(n.root, 'x')), symlinkSync('../neighbour', join(n.root, 'y'))),
      '/x/secret.md',
    ],
    [
      'a link that begins like the root',
      (n: Neighbours) => (mkdirSync(`${n.root}-2`), symlinkSync(`${n.root}-2`, join(n.root, 'x'))),
      '/x/a.md',
    ],
    ['a link into /proc', (n: Neighbours) => symlinkSync('/proc/self/environ', join(n.root, 'x')), '/x'],
  ] as const)('%s is refused on every verb', async ([, prepare, path]) => {
    const n = neighbours()
    prepare(n)
    const before = n.outside()
    expect(codes(await everyVerb(n.files, path))).toEqual(['invalid_path'])
    expect(n.outside()).toEqual(before)
    expect(readFileSync(join(n.root, 'notes/a.md'), 'utf8')).toBe('mine')
    expect(existsSync(join(n.root, 'stolen.md'))).toBe(false)
  })

  it('are not listed or searched: what cannot be read is not seen', async () => {
    const n = neighbours()
    symlinkSync(n.neighbour, join(n.root, 'x'))
    symlinkSync(join(n.neighbour, 'secret.md'), join(n.root, 'notes/secret.md'))
    symlinkSync('nothing.md', join(n.root, 'notes/dangling.md'))
    expect(await n.files.ls('/')).toEqual({ ok: true, value: [{ path: '/notes', directory: true }] })
    expect(await n.files.ls('/x')).toMatchObject({ code: 'invalid_path' })
    for (const found of [await n.files.ls('/notes'), await n.files.glob('**'), await n.files.grep('e')]) {
      expect(JSON.stringify(found)).not.toContain('secret')
      expect(JSON.stringify(found)).not.toContain('dangling')
    }
  })

  it('work where they stay inside', async () => {
    const n = neighbours()
    symlinkSync('notes/a.md', join(n.root, 'CLAUDE.md'))
    symlinkSync('notes', join(n.root, 'same'))
    symlinkSync('..', join(n.root, 'notes/up'))
    expect(await n.files.edit('/CLAUDE.md', 'mine', 'still mine')).toMatchObject({ ok: true })
    expect(await n.files.write('/same/b.md', 'new')).toMatchObject({ ok: true })
    expect(await n.files.read('/notes/up/notes/b.md')).toMatchObject({ value: { content: 'new' } })
    expect(readFileSync(join(n.root, 'notes/a.md'), 'utf8')).toBe('still mine')
    const found = await n.files.glob('**')
    // Directories behind links are found where they are, and once.
    expect(found.ok && found.value.map(({ path }) => path)).toEqual(['/CLAUDE.md', '/notes/a.md', '/notes/b.md'])
  })

  it('are edited at their target: two names of a file, one lock', async () => {
    const n = neighbours()
    writeFileSync(join(n.root, 'notes/a.md'), 'one\ntwo\n')
    symlinkSync('notes/a.md', join(n.root, 'b.md'))
    const again = localFiles({ root: join(n.root, 'notes') })
    const results = await Promise.all([
      n.files.edit('/notes/a.md', 'one', 'ONE'),
      n.files.edit('/b.md', 'two', 'TWO'),
      again.edit('/a.md', '\n', '!\n', { all: true }),
    ])
    expect(codes(results)).toEqual(['ok'])
    expect(readFileSync(join(n.root, 'notes/a.md'), 'utf8')).toBe('ONE!\nTWO!\n')
  })
})

describe('what is neither file nor directory', () => {
  it('is refused without waiting for it', async () => {
    const n = neighbours()
    execFileSync('mkfifo', [join(n.root, 'pipe.md')])
    expect(codes(await everyVerb(n.files, '/pipe.md'))).toEqual(['invalid_path'])
    expect(await n.files.ls('/pipe.md')).toMatchObject({ ok: false })
    const found = await n.files.glob('**')
    expect(found.ok && found.value.map(({ path }) => path)).toEqual(['/notes/a.md'])
  })

  it('does not change a file that has another name outside', async () => {
    const n = neighbours()
    linkSync(join(n.neighbour, 'secret.md'), join(n.root, 'hard.md'))
    await n.files.write('/hard.md', 'overwritten')
    expect(readFileSync(join(n.neighbour, 'secret.md'), 'utf8')).toBe(SECRET)
  })
})

describe('hostile paths on a disk', () => {
  it('leave the neighbour untouched, all together', async () => {
    const n = neighbours()
    const before = n.outside()
    const paths = [...refusedPaths, ...harmlessPaths].map(({ path }) => path)
    for (const path of [...paths, ...waysUp]) {
      const read = await n.files.read(path as string)
      expect([path, read.ok]).toEqual([path, false])
      await n.files.write(path as string, 'x')
      await n.files.move('/notes/a.md', path as string)
      await n.files.write('/notes/a.md', 'mine')
      await n.files.delete(path as string)
    }
    expect(n.outside()).toEqual(before)
  })
})

describe('a directory that is swapped for a link all the time', () => {
  const swappers: ReturnType<typeof spawn>[] = []
  afterEach(() => {
    for (const swapper of swappers.splice(0)) swapper.kill('SIGKILL')
  })

  it('never shows nor changes what is outside', async () => {
    const n = neighbours()
    writeFileSync(join(n.neighbour, 'a.md'), SECRET)
    const before = n.outside()
    // Each step may fail, because the other side makes the directory again where it is missing.
    const script = `const { renameSync, symlinkSync, unlinkSync } = require('node:fs')
      const attempt = (step) => { try { step() } catch {} }
      process.chdir(${JSON.stringify(n.root)})
      process.stdout.write('ready')
      for (let i = 0; ; i++) {
        attempt(() => renameSync('notes', 'was-' + i))
        attempt(() => symlinkSync(${JSON.stringify(n.neighbour)}, 'notes'))
        attempt(() => unlinkSync('notes'))
        attempt(() => renameSync('was-' + i, 'notes'))
      }`
    const swapper = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
    swappers.push(swapper)
    await new Promise((resolve) => swapper.stdout.once('data', resolve))

    const seen: Record<string, number> = {}
    for (let i = 0; i < 150; i++) {
      const results = [
        await n.files.read('/notes/a.md'),
        await n.files.write('/notes/a.md', `mine ${i}`),
        await n.files.write(`/notes/new-${i}/b.md`, 'new'),
        await n.files.grep('secret'),
        await n.files.delete('/notes/a.md'),
      ]
      expect(JSON.stringify(results)).not.toContain(SECRET)
      for (const result of results) {
        const code = result.ok ? 'ok' : result.code
        seen[code] = (seen[code] ?? 0) + 1
      }
    }
    expect(n.outside()).toEqual(before)
    // The race did take place: the same calls met the directory, the link and nothing.
    expect(Object.keys(seen)).toEqual(expect.arrayContaining(['ok', 'invalid_path']))
  })
})

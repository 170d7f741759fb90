import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { machinePaths } from '../src/machine-paths.ts'
import { mustRun } from '../src/run-command.ts'
import { repoRoot } from '../src/workspace.ts'

describe('the repository', () => {
  it('names no path of one machine', async () => {
    const listed = await mustRun('git', ['ls-files', '--cached', '--others', '--exclude-standard'], repoRoot)
    const files = listed.split('\n').filter((file) => existsSync(join(repoRoot, file)))
    // The tests of these checks are full of such paths.
    const others = files.filter((file) => !file.startsWith('tooling/checks/test/'))
    const found = others.flatMap((file) =>
      machinePaths(readFileSync(join(repoRoot, file), 'utf8')).map((path) => `${file}: ${path}`),
    )
    expect(found).toEqual([])
  })

  it('has a lockfile that names no registry', () => {
    const lockfile = readFileSync(join(repoRoot, 'pnpm-lock.yaml'), 'utf8')
    expect(lockfile.match(/https?:\/\/\S+/g) ?? []).toEqual([])
  })
})

describe('finding paths of one machine', () => {
  it.for([
    ['open("/home/ann/x.db")', '/home/ann'],
    ['/Users/ann/src', '/Users/ann'],
    ['in /root/keepsake.', '/root/keepsake.'],
    ['sqlite:/tmp/a.db', '/tmp/a.db'],
    ['C:\\Users\\ann', 'C:\\Users\\ann'],
    [`a ${repoRoot}packages b`, repoRoot.replace(/\/$/, '')],
  ])('%s', ([text = '', path = '']) => {
    expect(machinePaths(text)).toContain(path)
  })

  it.for([
    ['https://example.com/home/page'],
    ['./tmp/x'],
    ['src/root/x'],
    ['~/notes'],
    ['$HOME/notes'],
    ['/memories/home/a.md'],
  ])('not in %s', ([text = '']) => {
    expect(machinePaths(text)).toEqual([])
  })
})

import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { replaceDiskFile } from '../src/local/disk-file.ts'
import { withFileLock, type LockHolder } from '../src/local/file-lock.ts'
import { keyedQueue } from '../src/keyed-queue.ts'
import { makePlace } from '../src/local/locate.ts'
import { temporaryFolders } from './temporary-folder.ts'

const folder = temporaryFolders()

/** What this process writes into a lock file. */
async function ownHolder(path: string): Promise<LockHolder> {
  return withFileLock(path, { id: 'own' }, async () => JSON.parse(readFileSync(path, 'utf8')) as LockHolder)
}

describe('withFileLock', () => {
  it('lets one in at a time and removes its file', async () => {
    const path = join(folder(), 'lock')
    let inside = 0
    let most = 0
    const turn = (id: string) =>
      withFileLock(path, { id }, async () => {
        most = Math.max(most, ++inside)
        await Promise.resolve()
        inside--
      })
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map(turn))
    expect(most).toBe(1)
    expect(existsSync(path)).toBe(false)
  })

  it('is free again after an error', async () => {
    const path = join(folder(), 'lock')
    await expect(withFileLock(path, { id: 'a' }, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(existsSync(path)).toBe(false)
  })

  it('takes over from a process of this machine that is gone, at once, and says so', async () => {
    const path = join(folder(), 'lock')
    const { machine } = await ownHolder(path)
    // No process has the largest number: Linux and macOS end far below.
    const dead = { id: 'dead', pid: 2 ** 31 - 1, machine }
    writeFileSync(path, JSON.stringify(dead))
    const gone: LockHolder[] = []
    const options = { id: 'a', onDead: async (holder: LockHolder) => void gone.push(holder), patienceMs: 1e9 }
    expect(await withFileLock(path, options, async () => 'done')).toBe('done')
    expect(gone).toEqual([dead])
    expect(existsSync(path)).toBe(false)
  })

  it('takes over once, however many see it', async () => {
    const path = join(folder(), 'lock')
    const { machine } = await ownHolder(path)
    writeFileSync(path, JSON.stringify({ id: 'dead', pid: 2 ** 31 - 1, machine }))
    let taken = 0
    let inside = 0
    const ids = Array.from({ length: 16 }, (_, i) => `w${i}`)
    await Promise.all(
      ids.map((id) =>
        withFileLock(path, { id, onDead: async () => void taken++ }, async ({ isHeld }) => {
          expect(++inside).toBe(1)
          expect(await isHeld()).toBe(true)
          inside--
        }),
      ),
    )
    expect(taken).toBe(1)
  })

  it('takes over from one that died while it took over', async () => {
    const directory = folder()
    const path = join(directory, 'lock')
    const { machine } = await ownHolder(path)
    writeFileSync(path, JSON.stringify({ id: 'dead', pid: 2 ** 31 - 1, machine }))
    writeFileSync(`${path}.dead`, JSON.stringify({ id: 'heir', pid: 2 ** 31 - 1, machine }))
    expect(await withFileLock(path, { id: 'a', patienceMs: 1e9 }, async () => 'done')).toBe('done')
    expect(readdirSync(directory)).toEqual([])
  })

  it.for([
    ['another machine', JSON.stringify({ id: 'x', pid: 1, machine: 'far away' })],
    ['a crash before a word was written', ''],
    ['half a file', '{"id":"x","pi'],
    ['something else', '[]'],
    ['an id that leads elsewhere', JSON.stringify({ id: '../../x', pid: 1, machine: 'far away' })],
  ])('waits for %s, and not for ever', async ([, text = '']) => {
    const directory = folder()
    const path = join(directory, 'lock')
    writeFileSync(path, text)
    expect(await withFileLock(path, { id: 'a', patienceMs: 5 }, async () => 'done')).toBe('done')
    expect(readdirSync(directory)).toEqual([])
  })

  it('waits for a process that lives', async () => {
    const path = join(folder(), 'lock')
    const order: string[] = []
    const entered = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const first = withFileLock(path, { id: 'a' }, async () => {
      entered.resolve()
      await release.promise
      order.push('a')
    })
    await entered.promise
    const second = withFileLock(path, { id: 'b' }, async () => void order.push('b'))
    release.resolve()
    await Promise.all([first, second])
    expect(order).toEqual(['a', 'b'])
  })

  it('stops waiting when it is aborted', async () => {
    const path = join(folder(), 'lock')
    const abort = new AbortController()
    await withFileLock(path, { id: 'a' }, async () => {
      const second = withFileLock(path, { id: 'b', signal: abort.signal }, async () => 'never')
      abort.abort()
      await expect(second).rejects.toMatchObject({ code: 'aborted' })
    })
  })

  it.for([
    ['a link to nothing', (path: string) => symlinkSync('nowhere', path)],
    ['a link to a file', (path: string) => symlinkSync('/etc/hostname', path)],
    ['a directory', (path: string) => mkdirSync(path)],
    ['a named pipe', (path: string) => execFileSync('mkfifo', [path])],
    [
      'a file of 700 MB',
      (path: string) => {
        writeFileSync(path, '')
        truncateSync(path, 700_000_000)
      },
    ],
  ] as const)('says at once that %s is no lock, and leaves it', async ([, make]) => {
    const directory = folder()
    make(join(directory, 'lock'))
    await expect(withFileLock(join(directory, 'lock'), { id: 'a' }, async () => 'never')).rejects.toMatchObject({
      code: 'unavailable',
      retryable: false,
      message: 'lock, where the lock of a file must be, is not a lock file. See what made it, and remove it.',
    })
    expect(readdirSync(directory)).toEqual(['lock'])
  })

  it('does not wait for ever', async () => {
    const path = join(folder(), 'lock')
    await withFileLock(path, { id: 'a' }, async () => {
      // 1 + 2 + 4 ms.
      await expect(withFileLock(path, { id: 'b', maxWaitMs: 5 }, async () => 'never')).rejects.toMatchObject({
        code: 'unavailable',
        retryable: true,
        details: { name: 'lock', waitedMs: 7 },
      })
    })
  })

  it('has done its work even if its file became something else', async () => {
    const path = join(folder(), 'lock')
    const replaceLock = async () => {
      rmSync(path)
      mkdirSync(path)
      return 'done'
    }
    expect(await withFileLock(path, { id: 'a' }, replaceLock)).toBe('done')
  })

  it('knows when it was taken for dead, and leaves its successor alone', async () => {
    const path = join(folder(), 'lock')
    await withFileLock(path, { id: 'a' }, async ({ isHeld }) => {
      expect(await isHeld()).toBe(true)
      rmSync(path)
      expect(await isHeld()).toBe(false)
      writeFileSync(path, JSON.stringify({ id: 'b', pid: process.pid, machine: 'here' }))
      expect(await isHeld()).toBe(false)
    })
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ id: 'b' })
  })
})

describe('replaceDiskFile', () => {
  it('leaves the file as it is when the lock is lost at the last moment', async () => {
    const root = folder()
    writeFileSync(join(root, 'a.md'), 'theirs')
    await using place = await makePlace(root, { path: '/a.md', segments: ['a.md'] })
    const mine = { bytes: new TextEncoder().encode('mine'), previous: undefined, temporary: 'temporary' }
    expect(await replaceDiskFile(place, { ...mine, mayCommit: async () => false })).toBe(false)
    expect(readFileSync(join(root, 'a.md'), 'utf8')).toBe('theirs')
    expect(await replaceDiskFile(place, { ...mine, mayCommit: async () => true })).toBe(true)
    expect(readFileSync(join(root, 'a.md'), 'utf8')).toBe('mine')
    expect(readdirSync(root)).toEqual(['a.md'])
  })
})

describe('keyedQueue', () => {
  it('goes in turn for one key and on after an error', async () => {
    const inTurn = keyedQueue()
    const order: string[] = []
    const step = (name: string) => async () => {
      order.push(`${name} begins`)
      await Promise.resolve()
      order.push(`${name} ends`)
      if (name === 'a') throw new Error('a failed')
      return name
    }
    const all = await Promise.allSettled([inTurn('k', step('a')), inTurn('k', step('b')), inTurn('other', step('c'))])
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
    expect(order.filter((entry) => !entry.startsWith('c'))).toEqual(['a begins', 'a ends', 'b begins', 'b ends'])
    expect(order.indexOf('c begins')).toBeLessThan(order.indexOf('b begins'))
  })
})

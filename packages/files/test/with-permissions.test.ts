import { inMemoryStore, KeepsakeError } from '@keepsake/core'
import { describe, expect, it } from 'vitest'
import type { Files, Result } from '../src/files.ts'
import { rowFiles } from '../src/row-files.ts'
import { withPermissions, type Permission, type PermissionRequest } from '../src/with-permissions.ts'

const PATHS = [
  '/AGENTS.md',
  '/policies/law.md',
  '/policies/open/note.md',
  '/secret/deep/key.md',
  '/users/ada/a.md',
  '/users/bob/b.md',
]

async function filled(): Promise<Required<Files>> {
  const files = rowFiles(inMemoryStore(), 'ada')
  for (const path of PATHS) expect(await files.write(path, `Milk at ${path}\n`)).toMatchObject({ ok: true })
  return files
}

const limited = async (rules: readonly Permission[]): Promise<Required<Files>> =>
  withPermissions(await filled(), rules) as Required<Files>

const codeOf = (result: Result<unknown>): string => (result.ok ? 'ok' : result.code)
const pathsOf = async (found: Promise<Result<{ path: string }[]>>): Promise<string[] | string> => {
  const result = await found
  return result.ok ? result.value.map(({ path }) => path) : result.code
}

/** What each verb that touches one file says. */
async function verbs(files: Required<Files>, path: string): Promise<Record<string, string>> {
  return {
    read: codeOf(await files.read(path)),
    download: codeOf((await files.download([path]))[0]!),
    edit: codeOf(await files.edit(path, 'Milk', 'Milk')),
    write: codeOf(await files.write(path, 'Milk')),
    upload: codeOf((await files.upload([{ path, bytes: Uint8Array.of(0x61) }]))[0]!),
    delete: codeOf(await files.delete(path)),
  }
}

const all = (code: string) => ({ read: code, download: code, edit: code, write: code, upload: code, delete: code })
const DENIED = 'permission_denied'
const writesDenied = { ...all(DENIED), read: 'ok', download: 'ok' }

describe('withPermissions', () => {
  it('allows what no rule names', async () => {
    const files = await limited([{ operations: ['write'], paths: ['/policies/**'], mode: 'deny' }])
    expect(await verbs(files, '/AGENTS.md')).toEqual(all('ok'))
    expect(await verbs(files, '/policies/law.md')).toEqual(writesDenied)
    expect(await verbs(files, '/policies/open/note.md')).toEqual(writesDenied)
  })

  it('lets the first rule that fits decide', async () => {
    const files = await limited([
      { operations: ['write'], paths: ['/policies/open/*'], mode: 'allow' },
      { operations: ['write'], paths: ['/policies/**'], mode: 'deny' },
      { operations: ['write'], paths: ['/**'], mode: 'allow' },
      { operations: ['read', 'write'], paths: ['/AGENTS.md'], mode: 'deny' },
    ])
    expect(await verbs(files, '/policies/open/note.md')).toEqual(all('ok'))
    expect(await verbs(files, '/policies/law.md')).toEqual(writesDenied)
    expect(await verbs(files, '/AGENTS.md')).toEqual({ ...all('ok'), read: DENIED, download: DENIED })
  })

  it('denies the rest of an operation that is allowed somewhere, and of that alone', async () => {
    const files = await limited([{ operations: ['write'], paths: ['/users/ada/**'], mode: 'allow' }])
    expect(await verbs(files, '/users/ada/a.md')).toEqual(all('ok'))
    expect(await verbs(files, '/users/bob/b.md')).toEqual(writesDenied)
    expect(await verbs(files, '/new/file.md')).toEqual({ ...writesDenied, read: 'not_found', download: 'not_found' })
  })

  it('says the same of a file that exists and one that does not', async () => {
    const files = await limited([{ operations: ['read', 'write'], paths: ['/secret/**'], mode: 'deny' }])
    for (const path of ['/secret/deep/key.md', '/secret/missing.md', '/secret']) {
      expect(await files.read(path)).toEqual({ ok: false, code: DENIED, message: `Permission denied reading ${path}` })
      expect(await files.edit(path, 'a', 'b')).toMatchObject({ message: `Permission denied editing ${path}` })
      expect(await files.write(path, 'x', { ifVersion: null })).toMatchObject({
        message: `Permission denied writing ${path}`,
      })
      expect(await files.delete(path)).toMatchObject({ message: `Permission denied deleting ${path}` })
      expect(await files.move(path, '/b.md')).toMatchObject({ message: `Permission denied moving ${path}` })
      expect(await files.move('/AGENTS.md', path)).toMatchObject({ message: `Permission denied writing ${path}` })
      expect(await files.ls(path)).toMatchObject({ message: `Permission denied reading ${path}` })
    }
  })

  it('is not got around by another spelling of the path', async () => {
    const files = await limited([{ operations: ['read', 'write'], paths: ['/secret/**'], mode: 'deny' }])
    for (const path of ['secret/deep/key.md', '//secret//deep/key.md', '/./secret/./deep/key.md']) {
      expect(await verbs(files, path)).toEqual(all(DENIED))
    }
    expect(await verbs(files, '/secret/../secret/deep/key.md')).toEqual(all('invalid_path'))
  })

  it('shows nothing of what may not be read', async () => {
    const files = await limited([{ operations: ['read'], paths: ['/secret/**', '/users/bob/**'], mode: 'deny' }])
    expect(await pathsOf(files.ls('/'))).toEqual(['/AGENTS.md', '/policies', '/users'])
    expect(await pathsOf(files.ls('/users'))).toEqual(['/users/ada'])
    const visible = ['/AGENTS.md', '/policies/law.md', '/policies/open/note.md', '/users/ada/a.md']
    expect(await pathsOf(files.glob('**'))).toEqual(visible)
    expect(await pathsOf(files.grep('Milk'))).toEqual(visible)
    expect(await pathsOf(files.grep('Milk', { limit: 4 }))).toEqual(visible)
    expect(await pathsOf(files.glob('/secret/**'))).toEqual([])
  })

  it('shows the way to what may be read, and nothing beside it', async () => {
    const files = await limited([
      { operations: ['read'], paths: ['/users/ada/**', '/policies/*/note.md'], mode: 'allow' },
    ])
    expect(await pathsOf(files.ls('/'))).toEqual(['/policies', '/users'])
    expect(await pathsOf(files.ls('/users'))).toEqual(['/users/ada'])
    expect(await pathsOf(files.ls('/policies'))).toEqual(['/policies/open'])
    expect(await pathsOf(files.ls('/secret'))).toBe(DENIED)
    expect(await pathsOf(files.glob('**'))).toEqual(['/policies/open/note.md', '/users/ada/a.md'])
    expect(await pathsOf(files.grep('Milk', { limit: 1 }))).toEqual(['/policies/open/note.md'])
  })

  it('hides a directory that a rule denies whole before another opens it', async () => {
    const files = await limited([
      { operations: ['read'], paths: ['/secret/**'], mode: 'deny' },
      { operations: ['read'], paths: ['/**'], mode: 'allow' },
    ])
    expect(await pathsOf(files.ls('/'))).toEqual(['/AGENTS.md', '/policies', '/users'])
  })

  it('answers for each file of an upload and a download', async () => {
    const files = await limited([{ operations: ['read', 'write'], paths: ['/secret/**'], mode: 'deny' }])
    const bytes = Uint8Array.of(0x61)
    const paths = ['/a.md', '/secret/a.md', '..', '/b.md']
    expect((await files.upload(paths.map((path) => ({ path, bytes })))).map(codeOf)).toEqual([
      'ok',
      DENIED,
      'invalid_path',
      'ok',
    ])
    const downloaded = await files.download(paths)
    expect(downloaded.map(codeOf)).toEqual(['ok', DENIED, 'invalid_path', 'ok'])
    expect(downloaded[3]).toMatchObject({ value: { path: '/b.md', bytes } })
  })

  it('lets nothing be moved out of what may not be read, nor into what may not be written', async () => {
    const files = await limited([
      { operations: ['read'], paths: ['/secret/**'], mode: 'deny' },
      { operations: ['write'], paths: ['/policies/**'], mode: 'deny' },
    ])
    expect(codeOf(await files.move('/secret/deep/key.md', '/key.md'))).toBe(DENIED)
    expect(codeOf(await files.move('/policies/law.md', '/law.md'))).toBe(DENIED)
    expect(codeOf(await files.move('/AGENTS.md', '/policies/a.md'))).toBe(DENIED)
    expect(codeOf(await files.move('/AGENTS.md', '/b.md'))).toBe('ok')
  })

  it('has no verb that the file system has not', async () => {
    const { delete: _, move: __, ...rest } = await filled()
    expect(Object.keys(withPermissions(rest, [])).toSorted()).toEqual(
      [...Object.keys(rest), 'needsApproval'].toSorted(),
    )
  })

  describe('where a rule asks', () => {
    async function asking(answer: (request: PermissionRequest) => unknown) {
      const asked: PermissionRequest[] = []
      const files = withPermissions(
        await filled(),
        [
          { operations: ['write'], paths: ['/policies/**'], mode: 'ask' },
          { operations: ['read'], paths: ['/secret/**'], mode: 'ask' },
        ],
        {
          ask: (request) => {
            asked.push(request)
            return answer(request) as boolean
          },
        },
      ) as Required<Files>
      return { files, asked }
    }

    it('asks before the file is touched, with what the call is', async () => {
      const { files, asked } = await asking(async () => true)
      const { signal } = new AbortController()
      expect(codeOf(await files.edit('policies//law.md', 'Milk', 'Bread', { opId: 'run/call', signal }))).toBe('ok')
      expect(asked).toEqual([
        { operation: 'write', verb: 'editing', path: '/policies/law.md', opId: 'run/call', signal },
      ])
      expect(codeOf(await files.write('/AGENTS.md', 'x'))).toBe('ok')
      expect(codeOf(await files.read('/policies/law.md'))).toBe('ok')
      expect(asked).toHaveLength(1)
      expect(codeOf(await files.read('/secret/deep/key.md'))).toBe('ok')
      expect(asked[1]).toMatchObject({ operation: 'read', verb: 'reading', path: '/secret/deep/key.md' })
    })

    it.for([[false], [undefined], ['yes'], [1]])('takes %j for a no', async ([answer]) => {
      const { files } = await asking(() => answer)
      expect(codeOf(await files.edit('/policies/law.md', 'Milk', 'Bread'))).toBe(DENIED)
      expect(await files.read('/policies/law.md')).toMatchObject({ value: { content: 'Milk at /policies/law.md\n' } })
    })

    it('ends the call with what the callback throws', async () => {
      const { files } = await asking(() => {
        throw new Error('nobody is there')
      })
      await expect(files.write('/policies/law.md', 'x')).rejects.toThrow('nobody is there')
      expect(await files.read('/policies/law.md')).toMatchObject({ value: { content: 'Milk at /policies/law.md\n' } })
    })

    it('names what has to be asked for, and shows nothing of it unasked', async () => {
      const { files, asked } = await asking(() => true)
      expect(await pathsOf(files.glob('/secret/**'))).toEqual(['/secret/deep/key.md'])
      expect(await pathsOf(files.ls('/secret'))).toEqual(['/secret/deep'])
      expect(await pathsOf(files.grep('Milk', { glob: '/secret/**' }))).toEqual([])
      expect(asked).toEqual([])
    })
  })

  it.for([
    ['no list', { operations: ['read'], paths: ['/a'], mode: 'deny' }, 'rules must be a list'],
    ['nothing', [null], 'rules[0].operations'],
    ['no operation', [{ operations: [], paths: ['/a'], mode: 'deny' }], 'rules[0].operations'],
    ['another operation', [{ operations: ['delete'], paths: ['/a'], mode: 'deny' }], 'rules[0].operations'],
    ['no path', [{ operations: ['read'], paths: [], mode: 'deny' }], 'rules[0].paths'],
    ['a text as paths', [{ operations: ['read'], paths: '/a', mode: 'deny' }], 'rules[0].paths'],
    ['a way up', [{ operations: ['read'], paths: ['/a', '/../b'], mode: 'deny' }], 'rules[0].paths[1] is no pattern'],
    ['another mode', [{ operations: ['read'], paths: ['/a'], mode: 'DENY' }], 'rules[0].mode'],
  ])('refuses %s', async ([, rules, named]) => {
    const files = await filled()
    let error: unknown
    try {
      withPermissions(files, rules as never)
    } catch (reason) {
      error = reason
    }
    expect(KeepsakeError.isInstance(error, 'invalid_value')).toBe(true)
    expect((error as Error).message).toContain(named)
  })
})

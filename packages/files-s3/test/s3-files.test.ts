import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { KeepsakeError } from '@keepsake/core'
import type { Files } from '@keepsake/files'
import { describe, expect, it } from 'vitest'
import { s3Files, type S3FilesOptions } from '../src/index.ts'
import { BUCKET } from './client.ts'
import { server } from './server.ts'

const s3 = await server()
let opened = 0
const newPrefix = (): string => `s3-files/${opened++}`

const open = (prefix: string, client: S3Client = s3.client): Promise<Required<Files>> =>
  s3Files({ bucket: BUCKET, prefix, client, conditionalWrites: true })

async function objectAt(key: string): Promise<{ body: string; metadata: Record<string, string> }> {
  const found = await s3.client.send(new GetObjectCommand({ Bucket: BUCKET, Key: key }))
  return { body: await found.Body!.transformToString(), metadata: found.Metadata ?? {} }
}

async function keysBelow(prefix: string): Promise<string[]> {
  const page = await s3.client.send(new ListObjectsV2Command({ Bucket: BUCKET, Prefix: prefix }))
  return (page.Contents ?? []).map(({ Key }) => Key!)
}

const putByHand = (key: string, body: string | Uint8Array) =>
  s3.client.send(new PutObjectCommand({ Bucket: BUCKET, Key: key, Body: body }))

/** The client, with something done around the calls of one kind. */
function around(name: string, call: (send: () => Promise<unknown>, count: number) => Promise<unknown>): S3Client {
  let count = 0
  const send = (command: object, ...rest: unknown[]) => {
    const real = () => (s3.client.send as (...all: unknown[]) => Promise<unknown>)(command, ...rest)
    return command.constructor.name === name ? call(real, ++count) : real()
  }
  return { send } as unknown as S3Client
}

describe('s3Files', () => {
  it('keeps a file as the object that its path names, as it is', async () => {
    const prefix = newPrefix()
    const files = await open(`/${prefix}/`)
    await files.write('/notes/a..b [x] ä.md', '# Notes\n', { opId: 'run/call' })
    expect(await keysBelow(`${prefix}/`)).toEqual([`${prefix}/notes/a..b [x] ä.md`])
    const { body, metadata } = await objectAt(`${prefix}/notes/a..b [x] ä.md`)
    expect(body).toBe('# Notes\n')
    // The first 16 bytes of `printf run/call | sha256sum`, in base64url.
    expect(metadata['keepsake-operations']).toBe('HIyw6yyox6B__6bPbs2qvQ')
  })

  it('sees nothing of other prefixes, also of those that begin alike', async () => {
    const prefix = newPrefix()
    await putByHand(`${prefix}-old/a.md`, 'other')
    await putByHand(prefix, 'other')
    const files = await open(prefix)
    expect(await files.glob('**')).toEqual({ ok: true, value: [] })
    expect(await files.ls('/')).toEqual({ ok: true, value: [] })
  })

  it('has another version when the same text is there again, though the ETag is the same', async () => {
    const files = await open(newPrefix())
    const first = await files.write('/a.md', 'one')
    await files.write('/a.md', 'two')
    const third = await files.write('/a.md', 'one')
    if (!first.ok || !third.ok) throw new Error('refused')
    const etag = (version: string): string => version.split('.')[0]!
    expect(etag(third.value.version)).toBe(etag(first.value.version))
    expect(third.value.version).not.toBe(first.value.version)
    expect(await files.write('/a.md', 'x', { ifVersion: first.value.version })).toMatchObject({ code: 'conflict' })
  })

  it('sees what other programs write, as another version, and edits it', async () => {
    const prefix = newPrefix()
    const files = await open(prefix)
    const mine = await files.write('/a.md', 'mine')
    if (!mine.ok) throw new Error(mine.message)
    await putByHand(`${prefix}/a.md`, 'theirs')
    expect(await files.write('/a.md', 'x', { ifVersion: mine.value.version })).toMatchObject({ code: 'conflict' })
    // `printf theirs | md5sum`
    expect(await files.read('/a.md')).toEqual({
      ok: true,
      value: { content: 'theirs', version: 'ce97a90ef59e9c768263754682f68bd6' },
    })
    expect(await files.edit('/a.md', 'theirs', 'ours')).toMatchObject({ ok: true })
    expect((await objectAt(`${prefix}/a.md`)).body).toBe('ours')
  })

  it('passes over keys that are no paths, and objects that stand for directories', async () => {
    const prefix = newPrefix()
    for (const key of ['notes/', 'notes//a.md', '/b.md', 'a/../b.md', '~c.md', 'd\\e.md', 'ok.md']) {
      await putByHand(`${prefix}/${key}`, 'hello')
    }
    const files = await open(prefix)
    const found = [await files.glob('**'), await files.grep('hello')]
    for (const result of found) expect(result).toMatchObject({ value: [{ path: '/ok.md' }] })
    for (const result of found) expect(result.ok && result.value).toHaveLength(1)
  })

  it('shows a file and what lies below it, where another program made both', async () => {
    const prefix = newPrefix()
    await putByHand(`${prefix}/a`, 'one')
    await putByHand(`${prefix}/a/b`, 'two')
    const files = await open(prefix)
    expect(await files.ls('/a')).toMatchObject({ value: [{ path: '/a' }, { path: '/a/b' }] })
    expect(await files.read('/a')).toMatchObject({ value: { content: 'one' } })
    expect(await files.read('/a/b')).toMatchObject({ value: { content: 'two' } })
  })

  it('refuses an object of more than 2 MiB, and lists it', async () => {
    const prefix = newPrefix()
    await putByHand(`${prefix}/a.bin`, new Uint8Array(2_097_153))
    const files = await open(prefix)
    expect(await files.read('/a.bin')).toMatchObject({ code: 'too_large' })
    expect(await files.edit('/a.bin', 'a', 'b')).toMatchObject({ code: 'too_large' })
    expect(await files.ls('/')).toMatchObject({ value: [{ path: '/a.bin', sizeBytes: 2_097_153 }] })
  })

  it('lists more than a page of 1,000', async () => {
    const prefix = newPrefix()
    const files = await open(prefix)
    const names = Array.from({ length: 1100 }, (_, i) => `${String(i).padStart(4, '0')}.md`)
    for (let i = 0; i < names.length; i += 50) {
      await Promise.all(names.slice(i, i + 50).map((name) => putByHand(`${prefix}/notes/${name}`, 'x')))
    }
    for (const found of [await files.ls('/notes'), await files.glob('**')]) {
      expect(found.ok && found.value.map(({ path }) => path)).toEqual(names.map((name) => `/notes/${name}`))
    }
  })

  it('reads keys that the server writes as in URLs', async () => {
    const page = {
      EncodingType: 'url',
      Contents: [{ Key: 'p/a+b%2B%25+%C3%A4.md', Size: 3, LastModified: new Date(1000) }],
      CommonPrefixes: [{ Prefix: 'p/x+y/' }],
    }
    const files = await open(
      'p',
      around('ListObjectsV2Command', async () => page),
    )
    expect(await files.ls('/')).toEqual({
      ok: true,
      value: [
        { path: '/a b+% ä.md', directory: false, sizeBytes: 3, updatedAtMs: 1000 },
        { path: '/x y', directory: true },
      ],
    })
  })

  it('is not led out of its prefix by any path', async () => {
    const prefix = newPrefix()
    const [root, neighbour] = [`${prefix}/root`, `${prefix}/neighbour`]
    await putByHand(`${neighbour}/secret.md`, 'secret')
    const files = await open(root)
    for (const path of ['../neighbour/secret.md', '/../neighbour/secret.md', '..%2Fneighbour/secret.md', '/', '']) {
      await files.write(path, 'x')
      await files.delete(path)
      await files.move(path, '/mine.md')
      expect(await files.read(path)).toMatchObject({ ok: false })
    }
    expect(await keysBelow(`${prefix}/`)).toEqual([`${neighbour}/secret.md`])
    expect((await objectAt(`${neighbour}/secret.md`)).body).toBe('secret')
  })

  it('refuses a path that does not fit with its prefix', async () => {
    const files = await open('p'.repeat(100))
    const path = `/${Array.from({ length: 5 }, () => 'a'.repeat(190)).join('/')}`
    expect(await files.write(path, 'x')).toMatchObject({ code: 'invalid_path' })
  })
})

describe('a write whose answer is lost', () => {
  const isLost = async (send: () => Promise<unknown>, count: number): Promise<unknown> => {
    const answer = await send()
    if (count > 1) return answer
    // What the client of AWS makes of it: it sends the request again, and is told that the condition does not hold.
    return send()
  }

  it('is recognised by its id, and not made twice', async () => {
    const prefix = newPrefix()
    await putByHand(`${prefix}/a.md`, 'end\n')
    const files = await open(prefix, around('PutObjectCommand', isLost))
    const edited = await files.edit('/a.md', 'end\n', 'one\nend\n')
    expect(await files.read('/a.md')).toEqual({
      ok: true,
      value: { content: 'one\nend\n', version: edited.ok && edited.value.version },
    })
  })

  it('is recognised when it created', async () => {
    const files = await open(newPrefix(), around('PutObjectCommand', isLost))
    expect(await files.write('/a.md', 'one', { ifVersion: null })).toMatchObject({ ok: true })
  })

  it('is recognised when it deleted', async () => {
    const prefix = newPrefix()
    await putByHand(`${prefix}/a.md`, 'one')
    const files = await open(prefix, around('DeleteObjectCommand', isLost))
    expect(await files.delete('/a.md')).toEqual({ ok: true, value: undefined })
    expect(await files.delete('/a.md')).toMatchObject({ code: 'not_found' })
  })

  it('is recognised by the replay of a process that died, through its opId', async () => {
    const prefix = newPrefix()
    await putByHand(`${prefix}/a.md`, 'end\n')
    const dying = await open(
      prefix,
      around('PutObjectCommand', async (send) => {
        await send()
        throw new Error('the process dies here')
      }),
    )
    const edit = (files: Files) => files.edit('/a.md', 'end\n', 'one\nend\n', { opId: 'run/call' })
    await expect(edit(dying)).rejects.toMatchObject({ code: 'unavailable', retryable: true })
    expect(await edit(await open(prefix))).toMatchObject({ ok: true, value: { lines: [] } })
    expect((await objectAt(`${prefix}/a.md`)).body).toBe('one\nend\n')
  })
})

describe('opening', () => {
  it('tries whether conditions are kept, and leaves nothing', async () => {
    const prefix = newPrefix()
    await s3Files({ bucket: BUCKET, prefix, client: s3.client })
    expect(await keysBelow(prefix)).toEqual([])
  })

  it.for([
    ['none', 'ignores If-None-Match of a write'],
    ['puts', 'ignores If-Match of a delete'],
  ] as const)('refuses a server that keeps conditions of %s', async ([conditions, what]) => {
    const other = await server(conditions)
    const prefix = newPrefix()
    const error: unknown = await s3Files({ bucket: BUCKET, prefix, client: other.client }).catch((e: unknown) => e)
    expect(KeepsakeError.isInstance(error, 'unsupported')).toBe(true)
    expect((error as Error).message).toContain(what)
    const left = await other.client.send(new ListObjectsV2Command({ Bucket: BUCKET }))
    expect(left.Contents ?? []).toEqual([])
  })

  it('uses such a server without conditions where it is told to; one process still loses nothing', async () => {
    const other = await server('none')
    const files = await s3Files({ bucket: BUCKET, client: other.client, conditionalWrites: false })
    const lines = Array.from({ length: 16 }, (_, i) => `line ${i}.`)
    await files.write('/a.md', lines.join('\n'))
    await Promise.all(lines.map((line, i) => files.edit('/a.md', line, `LINE ${i}.`)))
    const read = await files.read('/a.md')
    expect(read.ok && read.value.content).toBe(lines.join('\n').toUpperCase())
    expect(await files.write('/a.md', 'x', { ifVersion: null })).toMatchObject({ code: 'exists' })
    expect(await files.delete('/a.md')).toEqual({ ok: true, value: undefined })
  })

  it('names a bucket that is not there', async () => {
    const opening = s3Files({ bucket: 'missing-bucket', client: s3.client })
    await expect(opening).rejects.toMatchObject({ code: 'not_provisioned' })
  })

  it('says that a server cannot be reached, without what it would have written', async () => {
    const client = around('PutObjectCommand', async () => {
      throw Object.assign(new Error('connect ECONNREFUSED'), { name: 'TimeoutError' })
    })
    const files = await open('p', client)
    const error: unknown = await files.write('/secret name.md', 'secret').catch((e: unknown) => e)
    expect(error).toMatchObject({ code: 'unavailable', retryable: true })
    expect((error as Error).message).not.toContain('secret')
  })

  it.for([
    [{ bucket: '' }],
    [{ bucket: 42 }],
    [{ bucket: 'b', prefix: '../other' }],
    [{ bucket: 'b', prefix: 'é'.repeat(257) }],
    [{ bucket: 'b', prefix: 7 }],
    [{ bucket: 'b', endpoint: 'not a URL' }],
    [{ bucket: 'b', client: {} }],
    [{ bucket: 'b', client: s3.client, endpoint: s3.endpoint }],
    [{ bucket: 'b', conditionalWrites: 'no' }],
  ])('refuses %j before anything is sent', async ([options]) => {
    await expect(s3Files(options as S3FilesOptions)).rejects.toMatchObject({ code: 'invalid_value' })
  })
})

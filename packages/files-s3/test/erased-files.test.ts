import { GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { eraseSubject, inMemoryStore } from '@keepsake/core'
import { compositeFiles } from '@keepsake/files'
import { expect, it } from 'vitest'
import { s3Files } from '../src/index.ts'
import { BUCKET } from './client.ts'
import { server } from './server.ts'

const { client } = await server()

/** The keys of all objects, their metadata and bytes, as one text. */
async function everything(): Promise<string> {
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: BUCKET }))
  const found: string[] = []
  for (const { Key } of Contents) {
    const { Body, Metadata } = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key }))
    found.push(Key!, JSON.stringify(Metadata), await Body!.transformToString('latin1'))
  }
  return found.join('\n')
}

it('files of a person in a bucket are erased with all that is kept beside them, and others stay', async () => {
  const files = await s3Files({ client, bucket: BUCKET, prefix: 'agents', conditionalWrites: true })
  await files.write('/users/bob/likes.md', 'Bob likes tea', { sources: ['thread:bob-1'], opId: 'bob-op' })
  const before = await everything()
  expect(before).toContain('Bob likes tea')
  await files.write('/users/zoe/likes.md', 'Zoe likes kites', { sources: ['untrusted:tool:fetch#zoe'] })
  await files.edit('/users/zoe/likes.md', 'kites', 'boats', { opId: 'zoe-op' })
  await files.write('/users/zoe/trips/norway.md', 'Zoe was in Norway', { opId: 'zoe-op-2' })
  await files.move('/users/zoe/trips/norway.md', '/users/zoe/trips/oslo.md')
  const all = compositeFiles({ default: files, routes: {} })
  const erase = (dryRun: boolean) =>
    eraseSubject(inMemoryStore(), 'zoe', { dryRun, graceMs: 0, files: [{ files: all, paths: ['/users/zoe/**'] }] })
  expect((await erase(true)).counts).toEqual({ files: 2 })
  expect(await everything()).toContain('Zoe likes boats')
  expect((await erase(false)).counts).toEqual({ files: 2 })
  expect(await everything()).toBe(before)
  expect((await erase(false)).counts).toEqual({})
})

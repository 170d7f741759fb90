import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inMemoryStore, records, type RowStore } from '@keepsake/core'
import { rowFiles, stateFiles, type Files } from '@keepsake/files'
import { localFiles } from '@keepsake/files/local'
import { testFiles } from '@keepsake/store-testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { keyring, subjectKeys, type SubjectKeys } from '../src/encryption/index.ts'
import { encryptedFiles, redactedFiles } from '../src/files/index.ts'

const wrapping = keyring([['test', new Uint8Array(32).fill(7)]])
const dataKeys = (store: RowStore = inMemoryStore()): SubjectKeys => subjectKeys({ store, wrapping })

function folder(): { root: string; close: () => Promise<void> } {
  const root = mkdtempSync(join(tmpdir(), 'keepsake-privacy-'))
  return { root, close: async () => rmSync(root, { recursive: true, force: true }) }
}

/** A kind of files, and another handle on the same. */
const kinds: Record<string, () => { open: () => Required<Files>; close?: () => Promise<void> }> = {
  local() {
    const { root, close } = folder()
    return { open: () => localFiles({ root }), close }
  },
  rows() {
    const store = inMemoryStore()
    return { open: () => rowFiles(store, 'ada') }
  },
  state() {
    const state = records(inMemoryStore(), 'ada')
    return { open: () => stateFiles(state) }
  },
}

for (const [kind, make] of Object.entries(kinds)) {
  testFiles(
    `encrypted ${kind} files`,
    () => {
      const { open, ...rest } = make()
      const keys = dataKeys()
      const encrypted = () => encryptedFiles(open(), { keys, subject: 'ada' })
      return { files: encrypted(), again: encrypted(), ...rest }
    },
    { skip: { 'a file has 2 MiB and not one byte more': 'what is sealed is 42 bytes longer' } },
  )
  testFiles(`redacted ${kind} files`, () => {
    const { open, ...rest } = make()
    return { files: redactedFiles(open()), again: redactedFiles(open()), ...rest }
  })
}

function temporary(): string {
  const { root, close } = folder()
  onTestFinished(close)
  return root
}

const SECRET = 'Ada likes kites and balloons, and her PIN is 4711.'

describe('encryptedFiles', () => {
  it('leave nothing of a text on the disk, 42 bytes more, and equal bytes for equal texts', async () => {
    const root = temporary()
    const files = encryptedFiles(localFiles({ root }), { keys: dataKeys(), subject: 'ada' })
    const first = await files.write('/a.md', SECRET)
    const bytes = readFileSync(join(root, 'a.md'))
    expect(bytes).toHaveLength(SECRET.length + 42)
    for (let i = 0; i + 4 <= SECRET.length; i++) expect(bytes.includes(SECRET.slice(i, i + 4))).toBe(false)
    await files.write('/a.md', 'other')
    expect(await files.write('/a.md', SECRET)).toEqual(first)
    expect(readFileSync(join(root, 'a.md'))).toEqual(bytes)
    expect(await files.ls('/')).toMatchObject({ value: [{ path: '/a.md', sizeBytes: SECRET.length }] })
  })

  it('refuse every file of which one bit is another, and name it without its content', async () => {
    const root = temporary()
    const files = encryptedFiles(localFiles({ root }), { keys: dataKeys(), subject: 'ada' })
    await files.write('/a.md', 'kite')
    const stored = readFileSync(join(root, 'a.md'))
    for (let bit = 0; bit < stored.length * 8; bit++) {
      const changed = Buffer.from(stored)
      changed[bit >> 3]! ^= 1 << (bit & 7)
      writeFileSync(join(root, 'a.md'), changed)
      const error: unknown = await files.read('/a.md').then(
        () => undefined,
        (reason: unknown) => reason,
      )
      expect(error, `bit ${bit}`).toMatchObject({
        code: expect.stringMatching(/^(invalid_value|unsupported)$/) as string,
        message: expect.stringMatching(/^The file "\/a\.md" (cannot be decrypted|is encrypted in format)/) as string,
      })
      expect(String(error)).not.toContain('kite')
    }
    writeFileSync(join(root, 'a.md'), stored)
    expect(await files.read('/a.md')).toMatchObject({ value: { content: 'kite' } })
  })

  it('refuse a file that was copied from another path, or cut short, or was never encrypted', async () => {
    const root = temporary()
    const keys = dataKeys()
    const files = encryptedFiles(localFiles({ root }), { keys, subject: 'ada' })
    await files.write('/a.md', 'kite')
    await copyFile(join(root, 'a.md'), join(root, 'b.md'))
    await expect(files.read('/b.md')).rejects.toThrow(
      'The file "/b.md" cannot be decrypted: it was damaged, changed, or',
    )
    writeFileSync(join(root, 'a.md'), readFileSync(join(root, 'a.md')).subarray(0, 41))
    await expect(files.read('/a.md')).rejects.toThrow('it is cut short')
    writeFileSync(join(root, 'plain.md'), 'planted')
    await expect(files.read('/plain.md')).rejects.toThrow('it is not encrypted')
    const reading = encryptedFiles(localFiles({ root }), { keys, subject: 'ada', readPlain: true })
    expect(await reading.read('/plain.md')).toMatchObject({ value: { content: 'planted' } })
    await reading.edit('/plain.md', 'planted', 'mine')
    expect(await files.read('/plain.md')).toMatchObject({ value: { content: 'mine' } })
    // A file that was moved by these files is another file, and opens.
    await files.move('/plain.md', '/moved.md')
    expect(await files.read('/moved.md')).toMatchObject({ value: { content: 'mine' } })
  })

  it('take files that have room for the 42 bytes', async () => {
    const files = encryptedFiles(rowFiles(inMemoryStore(), 'ada'), { keys: dataKeys(), subject: 'ada' })
    expect(await files.write('/a.md', 'a'.repeat(2 * 1024 * 1024 - 42))).toMatchObject({ ok: true })
    expect(await files.write('/b.md', 'a'.repeat(2 * 1024 * 1024 - 41))).toMatchObject({ ok: false, code: 'too_large' })
  })

  it('are gone with the key of their subject, which a path may tell, and others stay', async () => {
    const root = temporary()
    const keys = dataKeys()
    const subject = (path: string): string => path.split('/')[2]!
    const files = encryptedFiles(localFiles({ root }), { keys, subject })
    await files.write('/users/ada/a.md', SECRET)
    await files.write('/users/bob/a.md', 'bob')
    await keys.destroy('ada')
    expect(await files.read('/users/ada/a.md')).toMatchObject({ ok: false, code: 'not_found' })
    expect(await files.grep('kites')).toEqual({ ok: true, value: [] })
    expect(await files.read('/users/bob/a.md')).toMatchObject({ value: { content: 'bob' } })
    // Also by who makes only what is not there.
    expect(await files.write('/users/ada/a.md', 'anew', { ifVersion: null })).toMatchObject({ ok: true })
    expect(await files.write('/users/ada/a.md', 'twice', { ifVersion: null })).toMatchObject({ code: 'exists' })
    expect(await files.read('/users/ada/a.md')).toMatchObject({ value: { content: 'anew' } })
    expect(await files.delete('/users/ada/a.md')).toEqual({ ok: true, value: undefined })
    expect(readdirSync(join(root, 'users'))).toEqual(['bob'])
  })

  it('name the path whose subject is nobody, before anything is written', async () => {
    const inner = rowFiles(inMemoryStore(), 'ada')
    const files = encryptedFiles(inner, { keys: dataKeys(), subject: (path) => path.split('/')[2]! })
    await expect(files.write('/a.md', 'x')).rejects.toThrow(
      'encryptedFiles: the subject of "/a.md" must be a person; it is undefined.',
    )
    expect(await inner.ls('/')).toEqual({ ok: true, value: [] })
  })

  it.each<[options: unknown, message: string]>([
    [undefined, 'encryptedFiles: keys must be the data keys'],
    [{ keys: {} }, 'encryptedFiles: keys must be the data keys'],
    [{ keys: dataKeys() }, 'encryptedFiles: subject must be a person, or a function of the path; it is undefined.'],
  ])('refuse %j', (options, message) => {
    const files = rowFiles(inMemoryStore(), 'ada')
    expect(() => encryptedFiles(files, options as never)).toThrow(message)
    expect(() => encryptedFiles(undefined as never, options as never)).toThrow('encryptedFiles: files must be Files')
  })
})

describe('redactedFiles', () => {
  const secret = 'a secret of this test'

  it('keep nothing of what they find, however it was written, and placeholders stay the same in a scope', async () => {
    const inner = rowFiles(inMemoryStore(), 'ada')
    const files = redactedFiles(inner, { secret, scope: 'ada' })
    await files.write('/a.md', 'Write to ada@example.com.\n')
    await files.edit('/a.md', 'Write', 'Call +49 171 1234567 or write')
    await files.upload([{ path: '/b.md', bytes: new TextEncoder().encode('ada@example.com') }])
    const [a, b] = await Promise.all(['/a.md', '/b.md'].map((path) => inner.read(path)))
    const contents = [a, b].map((file) => (file?.ok === true ? file.value.content : ''))
    expect(contents[0]).toMatch(/^Call \[PHONE_[0-9a-f]{6}\] or write to \[EMAIL_[0-9a-f]{6}\]\.\n$/)
    expect(contents[0]).toContain(contents[1])
    const other = redactedFiles(rowFiles(inMemoryStore(), 'bob'), { secret, scope: 'bob' })
    await other.write('/b.md', 'ada@example.com')
    expect(await other.read('/b.md')).not.toMatchObject({ value: { content: contents[1] } })
  })

  it('make a named edit once, whatever a text holds', async () => {
    const files = redactedFiles(rowFiles(inMemoryStore(), 'ada'))
    await files.write('/a.md', 'x \u0000never y likes tea')
    for (let times = 0; times < 2; times++)
      expect(await files.edit('/a.md', 'tea', 'tea and tea cake', { opId: 'op' })).toMatchObject({ ok: true })
    expect(await files.read('/a.md')).toMatchObject({ value: { content: 'x \u0000never y likes tea and tea cake' } })
  })

  it('leave bytes and byte-order marks, and go outside of encryption', async () => {
    const store = inMemoryStore()
    const encrypted = encryptedFiles(rowFiles(store, 'ada'), { keys: dataKeys(), subject: 'ada' })
    const files = redactedFiles(encrypted)
    const bytes = Uint8Array.of(0xff, 0xfe, 0)
    await files.upload([{ path: '/a.bin', bytes }])
    expect(await files.download(['/a.bin'])).toMatchObject([{ value: { bytes } }])
    await files.write('/a.md', '\uFEFFada@example.com')
    expect(await encrypted.read('/a.md')).toMatchObject({ value: { content: '\uFEFF[EMAIL]' } })
  })
})

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { keyring, keyringFile, keyringFromEnv } from '../src/encryption/index.ts'

const KEY = new Uint8Array(32).fill(5)
const LINE = `2026-11:${Buffer.from(KEY).toString('base64')}`
const OLDER = `2025-01:${Buffer.from(new Uint8Array(32).fill(4)).toString('base64')}`

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keepsake-keyring-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true })
  vi.unstubAllEnvs()
})

function file(text: string): string {
  const path = join(folder, 'keepsake.keys')
  writeFileSync(path, text)
  return path
}

describe('a keyring', () => {
  it('wraps with its first key, and opens what any of them wrapped', async () => {
    const old = keyringFile(file(OLDER))
    const wrapped = await old.wrap(KEY)
    expect(wrapped).toMatchObject({ keyId: '2025-01', bytes: expect.objectContaining({ length: 48 }) })
    const both = keyringFile(file(`# newest first\n${LINE}\n\n${OLDER}\n`))
    expect(await both.unwrap(wrapped)).toEqual(KEY)
    expect((await both.wrap(KEY)).keyId).toBe('2026-11')
  })

  it('comes from an environment variable', async () => {
    vi.stubEnv('KEEPSAKE_KEYS', `${LINE}, ${OLDER}`)
    expect((await keyringFromEnv().wrap(KEY)).keyId).toBe('2026-11')
  })

  it('does not open a wrapped key that was passed off as one of another name, or changed', async () => {
    const ring = keyring([
      ['a', KEY],
      ['b', KEY],
    ])
    const { bytes } = await ring.wrap(KEY)
    await expect(ring.unwrap({ keyId: 'b', bytes })).rejects.toMatchObject({ code: 'invalid_value' })
    bytes[3]! ^= 1
    await expect(ring.unwrap({ keyId: 'a', bytes })).rejects.toMatchObject({ code: 'invalid_value' })
  })

  it.each([
    ['', 'A keyring needs at least one key.'],
    ['2026-11', 'Entry 1 of'],
    [`${LINE}\n2026:c2hvcnQ=`, 'Entry 2 of'],
    [`${LINE}\n${LINE}`, 'A keyring needs a name of its own for each key; "2026-11" is not one.'],
  ])('refuses the file %j without showing a key', (text, message) => {
    let error: unknown
    try {
      keyringFile(file(text))
    } catch (thrown) {
      error = thrown
    }
    expect(error).toMatchObject({ code: 'invalid_value', message: expect.stringContaining(message) })
    expect(String(error)).not.toMatch(/BQUF|c2hvcnQ/)
  })

  it('says which file or variable is missing', () => {
    expect(() => keyringFile(join(folder, 'none'))).toThrow(
      /The keyring .*none cannot be read \(ENOENT\)\. .*openssl rand/,
    )
    vi.stubEnv('KEEPSAKE_KEYS', '')
    expect(() => keyringFromEnv()).toThrow('KEEPSAKE_KEYS is not set: it holds the keyring, as name:key; openssl')
    expect(() => keyring([['a', new Uint8Array(16)]])).toThrow(
      'The key "a" must be 32 bytes (openssl rand -base64 32 makes one); it is not.',
    )
  })
})

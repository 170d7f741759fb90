import { describe, expect, it } from 'vitest'
import { inMemoryStore } from '@keepsake/core'
import { encrypted, keyring, subjectKeys } from '../src/encryption/index.ts'
import { createRedactor, redacted } from '../src/index.ts'

const store = inMemoryStore()
const wrapping = keyring([['first', new Uint8Array(32)]])
const nothing = undefined as never

describe('what cannot be used is refused when it is given', () => {
  it.each<[what: string, make: () => unknown]>([
    ['encrypted: store', () => encrypted(nothing, { keys: subjectKeys({ store, wrapping }) })],
    ['encrypted: keys', () => encrypted(store, nothing)],
    ['encrypted: keys', () => encrypted(store, { keys: wrapping as never })],
    ['subjectKeys: store', () => subjectKeys(nothing)],
    ['subjectKeys: store', () => subjectKeys({ store: nothing, wrapping })],
    ['subjectKeys: wrapping', () => subjectKeys({ store, wrapping: nothing })],
    ['subjectKeys: cacheMs', () => subjectKeys({ store, wrapping, cacheMs: Number.NaN })],
    ['subjectKeys: cacheMs', () => subjectKeys({ store, wrapping, cacheMs: -1 })],
    ['keyring: entries', () => keyring(nothing)],
    ['An entry of a keyring', () => keyring([nothing])],
    ['redacted: store', () => redacted(nothing)],
    ['patterns must be', () => createRedactor({ patterns: 'EMAIL' as never })],
    ['A redaction pattern needs', () => createRedactor({ patterns: [nothing] })],
    ['The secret of a redaction must be', () => createRedactor({ secret: 5 as never })],
  ])('%s (%#)', (what, make) => {
    expect(make).toThrow(expect.objectContaining({ code: 'invalid_value', message: expect.stringContaining(what) }))
  })

  it.each([{ subject: '' }, { subject: [] }, { subject: [''] }, { subject: nothing }])(
    '$subject, which is no subject',
    async ({ subject }) => {
      const keys = subjectKeys({ store: inMemoryStore(), wrapping })
      await expect(keys.destroy(subject)).rejects.toMatchObject({ code: 'invalid_key' })
      await expect(keys.rotate(subject)).rejects.toMatchObject({ code: 'invalid_key' })
    },
  )
})

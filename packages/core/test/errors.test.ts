import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { KeepsakeError, throwIfAborted } from '../src/errors.ts'
import { caught } from './caught.ts'

/** Another copy of the module, as a second install of the package would be. */
async function secondCopy(): Promise<typeof import('../src/errors.ts')> {
  const query = '../src/errors.ts?second'
  return (await import(/* @vite-ignore */ query)) as typeof import('../src/errors.ts')
}

describe('KeepsakeError', () => {
  it('carries code, message, details and cause', () => {
    const cause = new TypeError('socket')
    const error = new KeepsakeError('unavailable', 'No.', { retryable: true, details: { attempts: 3 }, cause })
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({ name: 'KeepsakeError', code: 'unavailable', message: 'No.', retryable: true, cause })
    expect(error.details).toEqual({ attempts: 3 })
    expect(String(error)).toBe('KeepsakeError: No.')
  })

  it('is not retryable and has no details or cause unless they are given', () => {
    const error = new KeepsakeError('conflict', 'No.')
    expect(error.retryable).toBe(false)
    expect(error.details).toEqual({})
    expect('cause' in error).toBe(false)
    expect('cause' in new KeepsakeError('conflict', 'No.', { cause: undefined })).toBe(true)
  })

  it('shows its marker to nobody', () => {
    expect(Object.keys(new KeepsakeError('aborted', 'x')).toSorted()).toEqual(['code', 'details', 'name', 'retryable'])
  })
})

describe('isInstance', () => {
  it('recognises its own, and the code', () => {
    const error = new KeepsakeError('too_large', 'x')
    expect(KeepsakeError.isInstance(error)).toBe(true)
    expect(KeepsakeError.isInstance(error, 'too_large')).toBe(true)
    expect(KeepsakeError.isInstance(error, 'conflict')).toBe(false)
  })

  it('recognises the error of another copy of the package, both ways', async () => {
    const { KeepsakeError: Other } = await secondCopy()
    expect(Other).not.toBe(KeepsakeError)
    const foreign = new Other('wrong_owner', 'x')
    expect(foreign).not.toBeInstanceOf(KeepsakeError)
    expect(KeepsakeError.isInstance(foreign)).toBe(true)
    expect(KeepsakeError.isInstance(foreign, 'wrong_owner')).toBe(true)
    expect(KeepsakeError.isInstance(foreign, 'aborted')).toBe(false)
    expect(Other.isInstance(new KeepsakeError('aborted', 'x'), 'aborted')).toBe(true)
  })

  it('recognises a subclass', () => {
    class Busy extends KeepsakeError {}
    expect(KeepsakeError.isInstance(new Busy('unavailable', 'x'), 'unavailable')).toBe(true)
  })

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['a text', 'KeepsakeError'],
    ['another error', new Error('x')],
    ['an error with the same name and code', Object.assign(new Error('x'), { name: 'KeepsakeError', code: 'aborted' })],
    ['an error of another realm', runInNewContext('new Error("x")')],
    ['what was parsed from its JSON', JSON.parse(JSON.stringify(new KeepsakeError('aborted', 'x')))],
  ])('does not take %s for one', (_, value) => {
    expect(KeepsakeError.isInstance(value)).toBe(false)
  })
})

describe('throwIfAborted', () => {
  it('does nothing while nobody aborts', () => {
    throwIfAborted(undefined)
    throwIfAborted(new AbortController().signal)
  })

  it('throws aborted with the reason as cause', async () => {
    const reason = new Error('user left')
    const error = await caught(() => throwIfAborted(AbortSignal.abort(reason)))
    expect(error.code).toBe('aborted')
    expect(error.cause).toBe(reason)
  })
})

import type { StandardSchemaV1 } from '@standard-schema/spec'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { checkIsSchema, checkSchema, storableOf } from '../src/values/standard-schema.ts'
import { caught } from './caught.ts'

const person = z.object({ name: z.string(), age: z.number().min(0).optional() })

/** A schema that answers later, as those with asynchronous checks do. */
const later: StandardSchemaV1<unknown, string> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: async (value) => (typeof value === 'string' ? { value } : { issues: [{ message: 'no text' }] }),
  },
}

describe('checkSchema', () => {
  it('takes the value as it is without a schema', () => {
    const value = { a: 1 }
    expect(checkSchema(undefined, value, 'value')).toBe(value)
  })

  it('gives what the schema makes of the value, at once if the schema does', () => {
    expect(checkSchema(person, { name: 'Ada', extra: 1 }, 'value')).toEqual({ name: 'Ada' })
    expect(checkSchema(z.string().default('x'), undefined, 'value')).toBe('x')
  })

  it('waits for a schema that waits', async () => {
    expect(await checkSchema(later, 'text', 'value')).toBe('text')
    expect((await caught(() => checkSchema(later, 5, 'value'))).message).toBe('value does not fit its schema: no text.')
  })

  it('names the value and the paths', async () => {
    const error = await caught(() => checkSchema(person, { name: 5, age: -1 }, 'entries[2].value'))
    expect(error.code).toBe('invalid_value')
    expect(error.message).toMatch(/^entries\[2\]\.value does not fit its schema: name: .+; age: .+\.$/)
    expect(error.details['issues']).toHaveLength(2)
  })

  it('reads paths of objects with a key', async () => {
    const schema: StandardSchemaV1<unknown, string> = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: () => ({ issues: [{ message: 'bad', path: [{ key: 'a' }, 0, 'b'] }] }),
      },
    }
    expect((await caught(() => checkSchema(schema, 1, 'value'))).details).toEqual({ issues: ['a.0.b: bad'] })
  })
})

describe('storableOf', () => {
  it('is a copy of the value without a schema, made at once', () => {
    const value = { a: [1], b: undefined }
    const stored = storableOf(undefined, value, 'value')
    value.a.push(2)
    expect(stored).toStrictEqual({ a: [1] })
  })

  it('is what a schema makes of it, at once or later', async () => {
    expect(storableOf(person, { name: 'Ada', extra: 1 }, 'value')).toEqual({ name: 'Ada' })
    expect(await storableOf(later, 'text', 'value')).toBe('text')
    expect((await caught(() => storableOf(later, 5, 'value'))).message).toContain('no text')
  })

  it('does not wait for a value that is a promise, with a schema or without', async () => {
    for (const schema of [undefined, z.any()]) {
      const error = await caught(() => storableOf(schema, Promise.resolve(1), 'value'))
      expect(error.message).toContain('value is a Promise')
    }
  })

  it('refuses what a schema made and cannot be stored', async () => {
    const error = await caught(() => storableOf(z.coerce.date(), '2026-01-01', 'value'))
    expect(error.message).toContain('value is a Date')
  })
})

describe('checkIsSchema', () => {
  it('takes none, and any Standard Schema', () => {
    checkIsSchema(undefined)
    checkIsSchema(person)
    checkIsSchema(later)
  })

  it.each([null, {}, { parse: () => 1 }, 'string', { '~standard': {} }])('refuses %j', async (schema) => {
    const error = await caught(() => checkIsSchema(schema))
    expect(error.code).toBe('invalid_value')
    expect(error.message).toContain('schema must be a Standard Schema')
  })
})

import type { StandardSchemaV1 } from '@standard-schema/spec'
import { KeepsakeError } from '../errors.ts'
import { describeType } from '../rows/keys.ts'
import { normalise, type Storable } from './normalise.ts'

/** Throws `invalid_value` unless `schema` is left out or a Standard Schema. */
export function checkIsSchema(schema: unknown): void {
  const standard = (schema as { '~standard'?: { validate?: unknown } } | null | undefined)?.['~standard']
  if (schema === undefined || typeof standard?.validate === 'function') return
  throw new KeepsakeError(
    'invalid_value',
    `schema must be a Standard Schema (zod 3.24 or later, valibot 1, arktype 2 …); it is ${describeType(schema)}.`,
  )
}

/**
 * Checks a value with a Standard Schema (https://standardschema.dev: zod, valibot, arktype …) and returns its output, as a
 * promise only if the schema does. Throws `invalid_value` with the schema's own messages and paths. Without a schema the
 * value is taken as it is.
 */
export function checkSchema<V>(
  schema: StandardSchemaV1<unknown, V> | undefined,
  value: unknown,
  what: string,
): V | Promise<V> {
  return schema === undefined ? (value as V) : checked(schema, value, what, (output) => output)
}

/**
 * The value as it will be stored, after its schema has checked and perhaps changed it. A promise only if the schema answers
 * with one: else the copy is made before the caller goes on, who may then change what they hold.
 */
export function storableOf<V>(
  schema: StandardSchemaV1<unknown, V> | undefined,
  value: unknown,
  what: string,
): Storable | Promise<Storable> {
  if (schema === undefined) return normalise(value, what)
  return checked(schema, value, what, (output) => normalise(output, what))
}

/** What `use` makes of the schema's output, as a promise only if the schema answers with one. */
function checked<V, R>(
  schema: StandardSchemaV1<unknown, V>,
  value: unknown,
  what: string,
  use: (output: V) => R,
): R | Promise<R> {
  const result = schema['~standard'].validate(value)
  return result instanceof Promise ? result.then((late) => use(outputOf(late, what))) : use(outputOf(result, what))
}

function outputOf<V>(result: StandardSchemaV1.Result<V>, what: string): V {
  if (result.issues === undefined) return result.value
  const issues = result.issues.map((issue) => {
    const path = (issue.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.')
    return path === '' ? issue.message : `${path}: ${issue.message}`
  })
  throw new KeepsakeError('invalid_value', `${what} does not fit its schema: ${issues.join('; ')}.`, {
    details: { issues },
  })
}

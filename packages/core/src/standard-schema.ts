import type { StandardSchemaV1 } from '@standard-schema/spec'
import { KeepsakeError } from './errors.ts'
import { describeType } from './keys.ts'

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
  if (schema === undefined) return value as V
  const result = schema['~standard'].validate(value)
  return result instanceof Promise ? result.then((late) => outputOf(late, what)) : outputOf(result, what)
}

function outputOf<V>(result: StandardSchemaV1.Result<V>, what: string): V {
  if (result.issues === undefined) return result.value
  const issues = result.issues.map((issue) => {
    const path = (issue.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.')
    return path === '' ? issue.message : `${path}: ${issue.message}`
  })
  throw new KeepsakeError(
    'invalid_value',
    `${what} does not fit its schema: ${issues.join('; ')}. Nothing was written.`,
    {
      details: { issues },
    },
  )
}

import type { StandardSchemaV1 } from '@standard-schema/spec'
import { KeepsakeError } from './errors.ts'

/**
 * Checks a value with a Standard Schema (https://standardschema.dev: zod, valibot, arktype …) and returns its output.
 * Throws `invalid_value` with the schema's own messages and paths. Without a schema the value is taken as it is.
 */
export async function checkSchema<V>(
  schema: StandardSchemaV1<unknown, V> | undefined,
  value: unknown,
  what: string,
): Promise<V> {
  if (schema === undefined) return value as V
  const result = await schema['~standard'].validate(value)
  if (result.issues === undefined) return result.value
  const issues = result.issues.map((issue) => {
    const path = (issue.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.')
    return path === '' ? issue.message : `${path}: ${issue.message}`
  })
  throw new KeepsakeError('invalid_value', `${what} does not fit its schema: ${issues.join('; ')}.`, {
    details: { issues },
  })
}

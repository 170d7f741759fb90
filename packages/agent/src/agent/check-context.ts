import { KeepsakeError } from '@keepsake/core'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { during } from './run-failed.ts'

/** The context as its schema gives it out. Throws `invalid_value` with the schema's own words. */
export async function checkContext(
  schema: StandardSchemaV1<unknown, unknown> | undefined,
  context: unknown,
): Promise<unknown> {
  if (schema === undefined) return context
  const result = await during('The context schema', () => schema['~standard'].validate(context))
  if (result.issues === undefined) return result.value
  const issues = result.issues.map(({ path = [], message }) => {
    const where = path.map((key) => String(typeof key === 'object' ? key.key : key)).join('.')
    return where === '' ? message : `${where}: ${message}`
  })
  throw new KeepsakeError('invalid_value', `context does not fit the agent's schema: ${issues.join('; ')}.`, {
    details: { issues },
  })
}

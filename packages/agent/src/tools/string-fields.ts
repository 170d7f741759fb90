import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'

/** The fields of an object of texts: what each is, for the model, and whether it may be left out. */
export type StringFields = Record<string, { description: string; optional?: true }>

type Values<F extends StringFields> = { [K in keyof F]: F[K] extends { optional: true } ? string | undefined : string }

/**
 * A schema for tools whose arguments are texts. It is a Standard Schema with its JSON Schema, so the AI SDK takes it as
 * well, and no schema library is needed for it.
 */
export function stringFields<const F extends StringFields>(
  fields: F,
): StandardSchemaV1<unknown, Values<F>> & StandardJSONSchemaV1<unknown, Values<F>> {
  const names = Object.keys(fields)
  const schema = {
    type: 'object',
    properties: Object.fromEntries(
      names.map((name) => [name, { type: 'string', description: fields[name]!.description }]),
    ),
    required: names.filter((name) => fields[name]!.optional !== true),
    additionalProperties: false,
  }
  return {
    '~standard': {
      version: 1,
      vendor: 'keepsake',
      validate(value) {
        const given = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>
        const issues = names.flatMap((name) => {
          const field = Object.hasOwn(given, name) ? given[name] : undefined
          if (typeof field === 'string' || (field === undefined && fields[name]!.optional === true)) return []
          return [{ path: [name], message: 'must be a text' }]
        })
        if (issues.length > 0) return { issues }
        return { value: Object.fromEntries(names.map((name) => [name, given[name]])) as Values<F> }
      },
      jsonSchema: { input: () => schema, output: () => schema },
    },
  }
}

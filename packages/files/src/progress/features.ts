import { z } from 'zod'
import { failure, ok } from '../failures.ts'
import type { Result } from '../files.ts'

/** Something that the work must achieve. */
export interface Feature {
  id: string
  description: string
  /** How it is checked: a command, or steps, for whoever runs checks. */
  check: string
  /** Whether the last run of exactly this check passed. Nothing else makes it true. */
  passed: boolean
  /** When it was run last, in Unix milliseconds. */
  checkedAtMs?: number
  /** What it said. */
  detail?: string
}

/** As the file has it: there is no field that says "passed" and could be set by hand. */
interface StoredFeature {
  id: string
  description: string
  check: string
  /** What was run, and what came of it. Another check since then makes it void. */
  result?: { check: string; passed: boolean; atMs: number; detail?: string | undefined } | undefined
}

/** Reads the list; an empty text is an empty list. */
export function readFeatures(text: string): Result<StoredFeature[]> {
  if (text.trim() === '') return ok([])
  try {
    const checked = schema().safeParse(JSON.parse(text))
    if (checked.success) return ok(checked.data.features)
  } catch {
    // Said below.
  }
  return failure('not_text', 'the feature list is no JSON of the form {"features":[{"id","description","check"}]}')
}

export function writeFeatures(features: readonly StoredFeature[]): string {
  return `${JSON.stringify({ features }, null, 2)}\n`
}

export function toFeature({ id, description, check, result }: StoredFeature): Feature {
  const valid = result?.check === check ? result : undefined
  return {
    id,
    description,
    check,
    passed: valid?.passed ?? false,
    ...(valid !== undefined && { checkedAtMs: valid.atMs }),
    ...(valid?.detail !== undefined && { detail: valid.detail }),
  }
}

let built: z.ZodType<{ features: StoredFeature[] }> | undefined

function schema(): z.ZodType<{ features: StoredFeature[] }> {
  return (built ??= z.object({
    features: z.array(
      z.object({
        id: z.string(),
        description: z.string(),
        check: z.string(),
        result: z
          .object({ check: z.string(), passed: z.boolean(), atMs: z.number(), detail: z.string().optional() })
          .optional(),
      }),
    ),
  }))
}

import { z } from 'zod'

/** One file as the model wants it: by edits, or whole. */
export interface ConsolidationChange {
  path: string
  edits?: { old_str: string; new_str: string }[] | undefined
  content?: string | undefined
  description?: string | undefined
  reason?: string | undefined
}

/** What the model is asked for: data, and nothing but data. */
export interface ConsolidationAnswer {
  changes: ConsolidationChange[]
}

export type AnswerProblem = 'no_answer' | 'not_json' | 'wrong_shape'
export type ParsedAnswer =
  | { ok: true; answer: ConsolidationAnswer }
  | { ok: false; problem: AnswerProblem; message: string }

/** More changes than a conversation has facts. */
const MAX_CHANGES = 50

function buildSchema(): z.ZodType<ConsolidationAnswer> {
  const change = z.object({
    path: z.string().describe('Path of the file'),
    edits: z
      .array(z.object({ old_str: z.string(), new_str: z.string() }))
      .optional()
      .describe('Replacements in a file that exists; each old_str occurs exactly once in it'),
    content: z.string().optional().describe('The whole text of the file, instead of edits'),
    description: z.string().optional().describe('For a new file: what it is about, in one line'),
    reason: z.string().optional().describe('Why, if more than half of a file goes'),
  })
  return z.object({ changes: z.array(change).max(MAX_CHANGES) })
}

let built: z.ZodType<ConsolidationAnswer> | undefined
const answerSchema = (): z.ZodType<ConsolidationAnswer> => (built ??= buildSchema())

/** For the provider, where it can hold a model to it. */
export function answerJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(answerSchema())
}

/** Reads an answer, which may stand in a code fence. */
export function parseAnswer(text: string): ParsedAnswer {
  const trimmed = text.trim()
  if (trimmed === '') return { ok: false, problem: 'no_answer', message: 'The model answered nothing.' }
  const fenced = /^```(?:json)?\s*\n([^]*)\n```$/.exec(trimmed)
  let value: unknown
  try {
    value = JSON.parse(fenced?.[1] ?? trimmed)
  } catch {
    return { ok: false, problem: 'not_json', message: 'The model answered with a text that is no JSON.' }
  }
  const checked = answerSchema().safeParse(value)
  if (checked.success) return { ok: true, answer: checked.data }
  // Paths of the answer, never its content.
  const where = checked.error.issues.map((issue) => issue.path.join('.') || 'the whole').join(', ')
  return { ok: false, problem: 'wrong_shape', message: `The model's JSON does not fit at: ${where}.` }
}

import type { JSONValue } from '@ai-sdk/provider'
import { describeType, KeepsakeError, type CallOptions, type Entry, type Key, type Records } from '@keepsake/core'
import { checkCount } from '../check-count.ts'
import { contentId } from '../content-id.ts'
import type { EpisodeOutcome } from '../episodes/episodes.ts'
import { searchApproved } from '../recall/search-approved.ts'

/** How a task of a type was done well: shown to the model for the next one. */
export interface Example {
  taskType: string
  input: string
  output: string
}

/** How often a tool did what for tasks of a type. */
export interface ToolUse {
  tool: string
  taskType: string
  success: number
  partial: number
  failure: number
}

/** A way to do something, by name. Its description is in every prompt, its content is read when it is needed. */
export interface Skill {
  name: string
  description: string
  content: string
}

/** How things are done: examples, prompt templates, what tools are good for, and skills. */
export interface Procedures {
  /** Stores an example; the same one twice is one. */
  addExample(example: Example, options?: CallOptions & { sources?: readonly string[] }): Promise<string[]>
  /** The examples that have most to do with an input, the best first, but those in quarantine. Default 3. */
  examples(input: string, options?: CallOptions & { taskType?: string; limit?: number }): Promise<Entry<Example>[]>
  /** Stores the prompt template of a task type: text in which `{{name}}` stands for a value. */
  setTemplate(taskType: string, template: string, options?: CallOptions): Promise<void>
  /**
   * The template of a task type with its values in it, or `undefined` if there is none. Throws `invalid_value`, naming
   * them, where values are missing. Values are data: what looks like a placeholder in one is left alone.
   */
  fillTemplate(
    taskType: string,
    values: Readonly<Record<string, string>>,
    options?: CallOptions,
  ): Promise<string | undefined>
  /** Counts one use of a tool; with an `id`, such as that of the call, once whoever repeats it. No use is lost beside others. */
  recordToolUse(
    use: { tool: string; taskType: string; outcome: EpisodeOutcome },
    options?: CallOptions & { id?: string },
  ): Promise<void>
  /** The tools that were used for a task type, the most successful first. */
  toolUse(taskType: string, options?: CallOptions): Promise<ToolUse[]>
  setSkill(skill: Skill, options?: CallOptions): Promise<void>
  skill(name: string, options?: CallOptions): Promise<Skill | undefined>
  /** All skills by name and description, in the order of their names, but those in quarantine. */
  skills(options?: CallOptions): Promise<Omit<Skill, 'content'>[]>
}

/** The ids of the newest uses that are remembered for a tool and a task type, so that a repeat is known. */
const MOST_IDS = 50
const DEFAULT_LIMIT = 3

type StoredUse = Omit<ToolUse, 'tool' | 'taskType'> & { ids: string[] }

/**
 * Procedural memory over an owner's records. Examples are found by the records' `index`; without one all are read.
 *
 * ```ts
 * const how = procedures(records(store, 'ada', { index: inProcessIndex() }))
 * await how.setTemplate('review', 'Review {{file}} for security problems first.')
 * await how.fillTemplate('review', { file: 'login.ts' })
 * ```
 */
// oxlint-disable-next-line typescript/no-explicit-any -- values of any shape may lie beside them
export function procedures(records: Records<any>, options: { prefix?: Key } = {}): Procedures {
  const { prefix = ['procedures'] } = options
  const at = (...key: string[]): string[] => [...prefix, ...key]
  return {
    async addExample({ taskType, input, output }, { sources, signal } = {}) {
      checkTexts('An example', { taskType, input, output })
      const example = { taskType, input, output }
      const key = at('examples', taskType, await contentId(example))
      const put = { ifVersion: null, index: ['input'], signal, ...(sources !== undefined && { sources }) }
      await records.put(key, example, put)
      return key
    },
    async examples(input, { taskType, limit = DEFAULT_LIMIT, signal } = {}) {
      checkCount('procedures: limit', limit, 1, Number.MAX_SAFE_INTEGER)
      const where = taskType === undefined ? at('examples') : at('examples', taskType)
      return searchApproved<Example>(records, where, input, { limit, signal })
    },

    async setTemplate(taskType, template, { signal } = {}) {
      checkTexts('A template', { taskType, template })
      await records.put(at('templates', taskType), { template }, { index: false, signal })
    },
    async fillTemplate(taskType, values, { signal } = {}) {
      const entry = (await records.get(at('templates', taskType), { signal })) as
        | Entry<{ template: string }>
        | undefined
      return entry === undefined ? undefined : fill(entry.value.template, values)
    },

    async recordToolUse({ tool, taskType, outcome }, { id, signal } = {}) {
      checkTexts('A use of a tool', { tool, taskType })
      if (!['success', 'partial', 'failure'].includes(outcome))
        throw wrong('A use of a tool', 'outcome', "'success', 'partial' or 'failure'", outcome)
      const change = (stored: unknown): JSONValue | undefined => {
        const use = (stored ?? { success: 0, partial: 0, failure: 0, ids: [] }) as StoredUse
        if (id !== undefined && use.ids.includes(id)) return undefined
        const ids = id === undefined ? use.ids : [...use.ids, id].slice(-MOST_IDS)
        return { ...use, [outcome]: use[outcome] + 1, ids }
      }
      await records.update(at('tools', taskType, tool), change, { index: false, signal })
    },
    async toolUse(taskType, { signal } = {}) {
      const uses: ToolUse[] = []
      for await (const { key, value } of records.list(at('tools', taskType), { signal })) {
        const { success, partial, failure } = value as StoredUse
        uses.push({ tool: key.at(-1)!, taskType, success, partial, failure })
      }
      return uses.toSorted((a, b) => score(b) - score(a))
    },

    async setSkill({ name, description, content }, { signal } = {}) {
      checkTexts('A skill', { name, description, content })
      await records.put(at('skills', name), { name, description, content }, { index: false, signal })
    },
    async skill(name, { signal } = {}) {
      const entry = await records.get(at('skills', name), { signal })
      return entry?.quarantined ? undefined : (entry?.value as Skill | undefined)
    },
    async skills({ signal } = {}) {
      const found: Omit<Skill, 'content'>[] = []
      for await (const { value, quarantined } of records.list(at('skills'), { signal })) {
        if (quarantined) continue
        const { name, description } = value as Skill
        found.push({ name, description })
      }
      return found
    },
  }
}

/** The share of successes, a partial one for half; a tool that was used little is near a half (Laplace's rule). */
function score({ success, partial, failure }: ToolUse): number {
  return (success + partial / 2 + 1) / (success + partial + failure + 2)
}

function fill(template: string, values: Readonly<Record<string, string>>): string {
  const missing = new Set<string>()
  const filled = template.replaceAll(/\{\{\s*([\p{L}\p{N}_.-]+)\s*\}\}/gu, (_whole, name: string) => {
    if (Object.hasOwn(values, name)) return values[name]!
    missing.add(name)
    return ''
  })
  if (missing.size === 0) return filled
  throw new KeepsakeError('invalid_value', `The template needs values for ${[...missing].join(', ')}.`)
}

function checkTexts(what: string, texts: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(texts)) {
    if (typeof value !== 'string' || value === '') throw wrong(what, name, 'a text that is not empty', value)
  }
}

function wrong(what: string, name: string, wanted: string, value: unknown): KeepsakeError {
  const found = value === '' ? 'empty' : describeType(value)
  return new KeepsakeError('invalid_value', `${what}: ${name} must be ${wanted}; it is ${found}.`)
}

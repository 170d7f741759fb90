import type { CallOptions } from '@keepsake/core'
import type { Files } from './files.ts'
import { readFrontMatter } from './front-matter.ts'
import { escapeGlob } from './glob.ts'
import { inParallel } from './in-parallel.ts'
import { parsePath } from './paths.ts'
import { escapeTags } from './tag-escape.ts'

/** A procedure that an agent can read when it needs it. */
export interface Skill {
  /** From the front matter; else the name of its directory. */
  name: string
  /** From the front matter; empty if there is none. */
  description: string
  path: string
}

export interface SkillsPromptOptions extends CallOptions {
  /** The tool by which the model reads a file. Default `read_file`, of `fileTools`. */
  readTool?: string
}

const MAX_OPEN = 16

/**
 * The skills in these directories: every `SKILL.md` at any depth, in the order of paths, but those in quarantine. Reads each
 * of them.
 */
export async function findSkills(
  files: Files,
  directories: readonly string[],
  options: CallOptions = {},
): Promise<Skill[]> {
  const patterns = directories.flatMap((directory) => {
    const parsed = parsePath(directory)
    return parsed.ok ? [`${parsed.value.path === '/' ? '' : escapeGlob(parsed.value.path)}/**/SKILL.md`] : []
  })
  const found = await Promise.all(patterns.map((pattern) => files.glob(pattern, options)))
  const paths = [...new Set(found.flatMap((one) => (one.ok ? one.value.map(({ path }) => path) : [])))].toSorted()
  const skills = await inParallel(paths, MAX_OPEN, async (path): Promise<Skill | undefined> => {
    const file = await files.read(path, options)
    if (!file.ok || file.value.quarantined) return undefined
    const { fields } = readFrontMatter(file.value.content)
    const name = fields['name'] ?? path.split('/').at(-2) ?? ''
    return { name, description: fields['description'] ?? '', path }
  })
  return skills.filter((skill) => skill !== undefined)
}

/**
 * Skills as a section of the system message, below the heading `## Skills`: name, description and path of each. What they
 * say is read by the model when it needs it, so long procedures cost a line a prompt. Empty without skills.
 */
export async function skillsPrompt(
  files: Files,
  directories: readonly string[],
  { readTool = 'read_file', ...options }: SkillsPromptOptions = {},
): Promise<string> {
  const skills = await findSkills(files, directories, options)
  if (skills.length === 0) return ''
  const lines = skills.map(({ name, description, path }) =>
    `- ${name}${description === '' ? '' : `: ${description}`} (${path})`.replaceAll(/\s+/g, ' '),
  )
  const how = `These are instructions for certain tasks. Where one fits what you are asked to do, read its file with ${readTool} before you begin, and follow it.`
  return `## Skills\n\n${how}\n\n<agent_memory>\n${escapeTags(`${lines.join('\n')}\n`)}</agent_memory>`
}

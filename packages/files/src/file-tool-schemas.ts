import { z } from 'zod'

/** What a read shows when `limit` is left out. */
export const DEFAULT_LINES = 2000

export type FileToolName = 'ls' | 'read_file' | 'write_file' | 'edit_file' | 'glob' | 'grep'
type FileToolSchemas = Readonly<Record<FileToolName, z.ZodObject>>

/** What the file tools take, under the names that models know. */
function buildSchemas(): FileToolSchemas {
  const path = z.string().describe('Absolute path, beginning with /')
  return {
    ls: z.object({ path: path.describe('Absolute path of the directory; / is the root') }),
    read_file: z.object({
      file_path: path,
      offset: z.number().int().min(0).optional().describe('How many lines to skip, 0 by default'),
      limit: z.number().int().min(1).optional().describe(`How many lines to show, ${DEFAULT_LINES} by default`),
    }),
    write_file: z.object({ file_path: path, content: z.string().describe('The whole text of the file') }),
    edit_file: z.object({
      file_path: path,
      old_string: z.string().describe('The text to replace, exactly as it is in the file'),
      new_string: z.string().describe('What to put in its place; empty to delete it'),
      replace_all: z.boolean().optional().describe('Replace every occurrence, false by default'),
    }),
    glob: z.object({
      pattern: z.string().describe('Pattern for the path below the directory, such as **/*.md'),
      path: path.optional().describe('Directory in which to look, / by default'),
    }),
    grep: z.object({
      pattern: z.string().describe('The text to find'),
      path: path.optional().describe('Directory or file in which to look, / by default'),
      glob: z.string().optional().describe('Only files that fit this pattern, such as *.md'),
    }),
  }
}

let built: FileToolSchemas | undefined

/** The schemas, built once: an agent asks for its file tools in every run. */
export function fileToolSchemas(): FileToolSchemas {
  return (built ??= buildSchemas())
}

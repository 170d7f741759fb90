import type { Tool, ToolOptions } from '@keepsake/core'
import { z } from 'zod'
import { failure, ok } from '../failures.ts'
import type { Result } from '../files.ts'
import { writeFrontMatter } from '../front-matter.ts'
import { cutLine, MAX_SHOWN } from '../shown-lines.ts'
import { shownText } from '../text.ts'
import type { CopyChangeOptions, MemoryCopy } from './memory-copy.ts'

export type MemoryToolName = 'read_memory' | 'memory_edit' | 'memory_write' | 'write_topic_file' | 'memory_move'

export interface MemoryToolsOptions {
  /** Default: all but `memory_move`. */
  names?: readonly MemoryToolName[]
  /**
   * Refuse what leaves less than half of a file, unless the call says why: `memory_edit` and `memory_write` then take a
   * `reason`. Default `false`.
   */
  keepHalf?: boolean
  /** Told of every file that is read. */
  onRead?: (path: string) => void
}

type Shape = Record<string, z.ZodType>

/**
 * The tools over a copy of memory files: plain AI SDK tools. Results are texts; a refusal begins with `Error: `, so that
 * the model can go on. Nothing is stored before the toolset is flushed.
 */
export function memoryTools(copy: MemoryCopy, options: MemoryToolsOptions = {}): Record<string, Tool> {
  const {
    keepHalf = false,
    onRead,
    names = ['read_memory', 'memory_edit', 'memory_write', 'write_topic_file'],
  } = options
  const path = z.string().describe('Path of the file, as it is listed')
  const reason = z.string().optional().describe('Why, if more than half of the file goes')
  const withReason = (shape: Shape): Shape => (keepHalf ? { ...shape, reason } : shape)

  const tools: Record<MemoryToolName, Tool> = {
    read_memory: tool('Reads a memory file, whole.', { path }, (input: { path: string }) => {
      const file = copy.read(input.path)
      if (file.ok) onRead?.(input.path)
      return answer(file, (text) => {
        const shown = shownText(text)
        return shown === '' ? '[the file is empty]' : cutLine(shown, MAX_SHOWN)
      })
    }),

    memory_edit: tool(
      'Replaces a text in a memory file by another, which is also how text is added: repeat the line before it. The text must be exactly as in the file and occur only once.',
      withReason({
        path,
        old_str: z.string().describe('The text to replace, exactly as it is in the file'),
        new_str: z.string().describe('What to put in its place; empty to delete it'),
      }),
      (input: { path: string; old_str: string; new_str: string; reason?: string }, sources) =>
        answer(
          copy.edit(input.path, input.old_str, input.new_str, { keepHalf, reason: input.reason, sources }),
          ({ lines }) => `Edited ${input.path} (line ${lines.join(', ')})`,
        ),
    ),

    memory_write: tool(
      'Rewrites a memory file, whole. What the new text does not say is forgotten; to change a passage, use memory_edit.',
      withReason({ path, content: z.string().describe('The whole new text of the file') }),
      (input: { path: string; content: string; reason?: string }, sources) =>
        answer(rewrite(copy, input, { keepHalf, reason: input.reason, sources }), () => `Wrote ${input.path}`),
    ),

    write_topic_file: tool(
      'Creates a memory file about one subject. The description is how it is found later.',
      {
        path: z.string().describe('Path of the new file, ending with .md'),
        description: z.string().describe('What the file is about, in one line'),
        content: z.string().describe('Its text in Markdown, without front matter'),
      },
      (input: { path: string; description: string; content: string }, sources) =>
        answer(createTopic(copy, input, sources), () => `Created ${input.path}`),
    ),

    memory_move: tool(
      'Gives a memory file another path, for example to archive it.',
      { old_path: path, new_path: z.string().describe('The new path, at which there is no file') },
      (input: { old_path: string; new_path: string }, sources) =>
        answer(
          copy.move(input.old_path, input.new_path, { sources }),
          () => `Moved ${input.old_path} to ${input.new_path}`,
        ),
    ),
  }
  return Object.fromEntries(names.map((name) => [name, tools[name]]))
}

/** A topic file, with its front matter. Only where there is none: an existing one is edited. */
export function createTopic(
  copy: MemoryCopy,
  { path: at, description, content }: { path: string; description: string; content: string },
  sources?: readonly string[],
): Result<void> {
  const line = description.replaceAll(/\s+/g, ' ').trim()
  if (line === '') return failure('no_match', 'a topic file needs a description: say in one line what it is about')
  const there = copy.read(at)
  if (there.ok) return failure('exists', 'file already exists; change it with memory_edit')
  if (there.code !== 'not_found') return there.code === 'permission_denied' ? denied(at) : there
  const text = writeFrontMatter({ description: line }, content.endsWith('\n') ? content : `${content}\n`)
  return copy.write(at, text, { sources })
}

function rewrite(
  copy: MemoryCopy,
  { path: at, content }: { path: string; content: string },
  options: CopyChangeOptions,
): Result<void> {
  const there = copy.read(at)
  if (!there.ok) {
    if (there.code === 'not_found') return failure('not_found', 'file not found; start a new one with write_topic_file')
    return there.code === 'permission_denied' ? denied(at) : there
  }
  const written = copy.write(at, content, options)
  return written.ok ? ok(undefined) : written
}

const denied = (at: string): Result<never> => failure('permission_denied', `Permission denied writing ${at}`)

function answer<T>(result: Result<T>, show: (value: T) => string): string {
  if (result.ok) return show(result.value)
  return `Error: ${result.code === 'invalid_path' ? 'invalid_path' : cutLine(result.message, MAX_SHOWN)}`
}

function tool(
  description: string,
  shape: Shape,
  execute: (input: any, untrusted: readonly string[] | undefined) => string,
): Tool {
  return {
    description,
    inputSchema: z.object(shape),
    execute: async (input: unknown, { untrusted }: ToolOptions) => execute(input, untrusted),
  }
}

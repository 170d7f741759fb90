import type { CallOptions, Tool, ToolOptions } from '@keepsake/core'
import { checkFiles } from './check-files.ts'
import { DEFAULT_LINES, fileToolSchemas, type FileToolName } from './file-tool-schemas.ts'
import { inReview, ok } from './failures.ts'
import { markable } from './file-sources.ts'
import type { FileOrigin, Files, GrepMatch, Result } from './files.ts'
import { escapeGlob } from './glob.ts'
import { parsePath } from './paths.ts'
import { cutLine, foundLine, linesThatFit, MAX_SHOWN } from './shown-lines.ts'
import { shownText } from './text.ts'

/** What a search shows; the rest is counted. */
const MAX_FOUND = 200
/** The replacements of which the line is told; the rest is counted. */
const MAX_EDITED = 10

/**
 * The file system as tools for a model, under the names and arguments that models know: plain AI SDK tools, for our agent
 * and for `generateText` and `streamText` alike. Results are texts; a refusal is a text that begins with `Error: `, so
 * that the model can go on. A call that is made again after a crash, with the idempotency key that our agent gives it,
 * changes nothing twice. What our agent's model writes after it read something untrusted puts the file in
 * quarantine; such files are shown to nobody but a model that has read something untrusted. None is much longer than 50,000 characters: what is left out is said.
 *
 * ```ts
 * await generateText({ model, prompt, tools: fileTools(files), stopWhen: isStepCount(5) })
 * ```
 */
export function fileTools(files: Files): Record<FileToolName, Tool> {
  checkFiles(files, 'files')
  const schemas = fileToolSchemas()
  return {
    ls: {
      description: 'Lists a directory. Directories end with /.',
      inputSchema: schemas.ls,
      execute: (input: { path: string }, { abortSignal: signal }) =>
        answer(files.ls(input.path, { signal }), (found) =>
          listed(
            found.map((info) => (info.directory ? `${info.path}/` : info.path)),
            'No files',
          ),
        ),
    },

    read_file: {
      description: `Reads a text file: its lines as they are, without line numbers, so that edit_file can be given any part of them. Shows ${DEFAULT_LINES} lines from the beginning unless offset and limit say otherwise.`,
      inputSchema: schemas.read_file,
      execute: (
        input: { file_path: string; offset?: number; limit?: number },
        { abortSignal: signal, approved, untrusted }: ToolOptions,
      ) =>
        answer(readable(files.read(input.file_path, { signal, approved }), input.file_path, untrusted), ({ content }) =>
          someLines(shownText(content), input.offset ?? 0, input.limit ?? DEFAULT_LINES),
        ),
    },

    write_file: {
      description: 'Creates a new text file. It does not replace one: change an existing file with edit_file.',
      inputSchema: schemas.write_file,
      execute: (
        input: { file_path: string; content: string },
        { abortSignal: signal, idempotencyKey: opId, approved, untrusted: sources }: ToolOptions,
      ) =>
        answer(
          markable(files, input.file_path, sources) ??
            files.write(input.file_path, input.content, { ifVersion: null, opId, sources, signal, approved }),
          () => `Created ${input.file_path}`,
        ),
    },

    edit_file: {
      description:
        'Replaces a text in a file by another, which is also how text is added: repeat the line before it. The text must be exactly as in the file and occur only once, unless replace_all is set.',
      inputSchema: schemas.edit_file,
      execute: (
        input: { file_path: string; old_string: string; new_string: string; replace_all?: boolean },
        { abortSignal: signal, idempotencyKey: opId, approved, untrusted: sources }: ToolOptions,
      ) =>
        answer(
          markable(files, input.file_path, sources) ??
            files.edit(input.file_path, input.old_string, input.new_string, {
              all: input.replace_all ?? false,
              opId,
              sources,
              signal,
              approved,
            }),
          ({ lines }) => `Edited ${input.file_path}${editedLines(lines)}`,
        ),
    },

    glob: {
      description:
        'Finds files by a pattern for their path: * and ? within a name, ** for any directories, [abc], {a,b}. **/*.md finds all Markdown files.',
      inputSchema: schemas.glob,
      execute: (input: { pattern: string; path?: string }, { abortSignal: signal }) => {
        const below = input.path === undefined ? '' : escapeGlob(input.path)
        return answer(files.glob(`${below}/${input.pattern}`, { signal }), (found) =>
          listed(
            found.map((info) => info.path),
            'No files found',
          ),
        )
      },
    },

    grep: {
      description: 'Finds the lines that hold a text. The text is literal, not a regular expression, and case counts.',
      inputSchema: schemas.grep,
      execute: async (
        input: { pattern: string; path?: string; glob?: string },
        { abortSignal: signal, untrusted = [] }: ToolOptions,
      ) => {
        const glob = await searched(files, input.path, input.glob, signal)
        if (!glob.ok) return answer(glob, String)
        return answer(foundLines(files, input.pattern, untrusted, { glob: glob.value, signal }), (found) =>
          listed(
            found.map((match) => `${match.path}:${match.line}: ${match.text}`),
            'No matches found',
            `more than ${MAX_FOUND}`,
          ),
        )
      },
    },
  }
}

async function answer<T>(outcome: Result<T> | Promise<Result<T>>, show: (value: T) => string): Promise<string> {
  const result = await outcome
  if (result.ok) return show(result.value)
  // Why a path is invalid is for whoever reads code; this text is a contract.
  return `Error: ${result.code === 'invalid_path' ? 'invalid_path' : cutLine(result.message, MAX_SHOWN)}`
}

/**
 * What waits for review is read by nobody but a model that has read untrusted content anyway: what it makes of it is marked
 * as well. So a run can go on with what it has written, and with long results that were kept for it.
 */
async function readable<T extends FileOrigin>(
  reading: Promise<Result<T>>,
  path: string,
  untrusted: readonly string[] = [],
): Promise<Result<T>> {
  const file = await reading
  return file.ok && file.value.quarantined && untrusted.length === 0 ? inReview(path) : file
}

/** One more than is shown, where there are as many. */
async function foundLines(
  files: Files,
  text: string,
  untrusted: readonly string[],
  options: CallOptions & { glob: string },
): Promise<Result<GrepMatch[]>> {
  for (let limit = MAX_FOUND + 1; ; limit *= 2) {
    const found = await files.grep(text, { ...options, limit })
    if (!found.ok) return found
    const shown = found.value.filter(({ quarantined }) => !quarantined || untrusted.length > 0)
    if (shown.length > MAX_FOUND || found.value.length < limit) return ok(shown.slice(0, MAX_FOUND + 1))
  }
}

/** The pattern for the files below `path`, or for the one that it names. */
async function searched(
  files: Files,
  path: string | undefined,
  glob: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Result<string>> {
  const pattern = glob === undefined ? '**' : glob.includes('/') ? glob : `**/${glob}`
  if (path === undefined) return { ok: true, value: pattern }
  const [parsed, found] = [parsePath(path), await files.ls(path, { signal })]
  if (!parsed.ok) return parsed
  if (!found.ok) return found
  const below = escapeGlob(parsed.value.path)
  const [only] = found.value
  const isFile = found.value.length === 1 && only?.path === parsed.value.path && !only.directory
  return { ok: true, value: isFile ? below : `${below}/${pattern}` }
}

function listed(lines: readonly string[], none: string, total = String(lines.length)): string {
  if (lines.length === 0) return none
  const shown = linesThatFit(lines.slice(0, MAX_FOUND).map(foundLine))
  if (shown.length === lines.length) return shown.join('\n')
  const all = lines.length > MAX_FOUND ? total : lines.length
  return `${shown.join('\n')}\n\n[${shown.length} of ${all} are shown; narrow the search]`
}

/** Nothing for an edit that an earlier attempt at the same call has made. */
function editedLines(lines: readonly number[]): string {
  if (lines.length === 0) return ''
  const first = lines.slice(0, MAX_EDITED).join(', ')
  if (lines.length > MAX_EDITED) return ` (${lines.length} replacements; lines ${first}, …)`
  return ` (${lines.length === 1 ? 'line' : 'lines'} ${first})`
}

/** Never cut in silence: what is left out is said, and how to see it. */
function someLines(text: string, offset: number, limit: number): string {
  if (text === '') return '[the file is empty]'
  const lines = text.split('\n')
  // The line ending of the last line begins no line.
  if (lines.at(-1) === '') lines.pop()
  if (offset >= lines.length) return `[the file has ${lines.length} lines; offset ${offset} is after the last]`
  const fitting = linesThatFit(lines.slice(offset, offset + limit))
  const end = offset + fitting.length
  const shown = fitting.join('\n')
  if (end >= lines.length) return offset === 0 && text.startsWith(shown) ? text : shown
  return `${shown}\n\n[lines ${offset + 1} to ${end} of ${lines.length}; read on with offset ${end}]`
}

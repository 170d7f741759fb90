import type { MemoryToolHandlers } from '@anthropic-ai/sdk/helpers/beta/memory'
import { KeepsakeError } from '@keepsake/core'
import type { FileInfo, Files } from '@keepsake/files'
import { insertLines } from './insert-lines.ts'
import { listDirectory } from './list-directory.ts'
import { memoryPaths, valueOf } from './memory-path.ts'
import { numberedFile, snippetAt } from './numbered-lines.ts'

export interface AnthropicMemoryOptions {
  /** The directory of the files that the tool sees as `/memories`. Default `/`: all of them. */
  directory?: string
}

/** The six commands, each giving the text for the model, or throwing an `Error` with it. */
export type AnthropicMemory = {
  [Command in keyof MemoryToolHandlers]: (...given: Parameters<MemoryToolHandlers[Command]>) => Promise<string>
}

/** How often a line is put in anew where others keep writing the file. */
const MAX_TRIES = 50

/**
 * Anthropic's memory tool over any files: on a disk, in rows of any store, in a bucket. Give it to `betaMemoryTool` of
 * `@anthropic-ai/sdk`, or call the commands yourself. The texts are those of the SDK's own handler on a local disk.
 *
 * ```ts
 * const tool = betaMemoryTool(anthropicMemory(rowFiles(store, ['users', 'ada'])))
 * ```
 *
 * What a command refuses is an `Error` with the text for the model, which the SDK's tool runner hands on. A disk or store
 * that fails throws a KeepsakeError (`unavailable`). Throws `invalid_value` for files without `delete` and `move`.
 */
export function anthropicMemory(files: Files, options: AnthropicMemoryOptions = {}): AnthropicMemory {
  const directory = (options.directory ?? '/').replace(/\/+$/, '')
  const { inFiles, shown } = memoryPaths(directory)
  const { remove, move } = changing(files)

  /** Every file below a directory, by the tool's paths. */
  async function filesBelow(at: string): Promise<FileInfo[]> {
    const found = await files.glob(`${escapeGlob(at === '' ? directory : at)}/**`)
    return found.ok ? found.value.map((info) => ({ ...info, path: shown(info.path) })) : []
  }

  const toFiles = (path: string): string => directory + path.slice('/memories'.length)

  async function isThere(at: string): Promise<boolean> {
    const found = await files.read(at)
    return found.ok || found.code !== 'not_found'
  }

  return {
    async view({ path, view_range: range }) {
      const at = inFiles(path)
      const absent = `The path ${path} does not exist. Please provide a valid path.`
      const file = at === '' ? undefined : await files.read(at)
      if (file?.ok) {
        if (file.value.quarantined) throw new Error(`The file ${path} is waiting for review.`)
        return `Here's the content of ${path} with line numbers:\n${numberedFile(file.value.content, path, range)}`
      }
      if (file !== undefined && file.code !== 'is_directory') return valueOf(file, path, absent)
      const below = await filesBelow(at)
      if (at !== '' && below.length === 0) throw new Error(absent)
      return listDirectory(at === '' ? '/memories' : shown(at), below)
    },

    async create({ path, file_text: text }) {
      const at = inFiles(path)
      checkText('file_text', text)
      const there = `File ${path} already exists`
      if (at === '') throw new Error(there)
      const made = await files.write(at, text, { ifVersion: null })
      if (!made.ok && (made.code === 'is_directory' || (made.code === 'exists' && (await isThere(at))))) {
        throw new Error(there)
      }
      valueOf(made, path, there)
      return `File created successfully at: ${path}`
    },

    async str_replace(command) {
      const { path, old_str: oldText } = command
      // A model may leave out what it need not say.
      const newText = (command as { new_str?: string }).new_str ?? ''
      const at = inFiles(path)
      checkText('old_str', oldText)
      checkText('new_str', newText)
      const absent = `The path ${path} does not exist. Please provide a valid path.`
      if (at === '') throw new Error(`The path ${path} is not a file.`)
      const edited = await files.edit(at, oldText, newText)
      if (!edited.ok && edited.code === 'no_match') {
        throw new Error(`No replacement was performed, old_str \`${oldText}\` did not appear verbatim in ${path}.`)
      }
      if (!edited.ok && edited.code === 'many_matches') {
        const found = valueOf(await files.grep(oldText, { glob: escapeGlob(at) }), path, absent)
        const lines = found.map(({ line }) => line).join(', ')
        throw new Error(
          `No replacement was performed. Multiple occurrences of old_str \`${oldText}\` in lines: ${lines}. Please ensure it is unique`,
        )
      }
      const { lines } = valueOf(edited, path, absent)
      const { content, quarantined } = valueOf(await files.read(at), path, absent)
      if (quarantined) return 'The memory file has been edited. It is waiting for review, and not shown until then.'
      return `The memory file has been edited. Here is the snippet showing the change (with line numbers):\n${snippetAt(content, lines[0]!)}`
    },

    async insert({ path, insert_line: line, insert_text: text }) {
      const at = inFiles(path)
      checkText('insert_text', text)
      const absent = `The path ${path} does not exist. Please provide a valid path.`
      if (at === '') throw new Error(`The path ${path} is not a file.`)
      let file = valueOf(await files.read(at), path, absent)
      const seen = file.content.split(/\r?\n/)
      if (!Number.isSafeInteger(line) || line < 0 || line > seen.length) {
        throw new Error(
          `Invalid \`insert_line\` parameter: ${line}. It should be within the range of lines of the file: [0, ${seen.length}]`,
        )
      }
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const content = insertLines(file.content, { line, text, seen })
        if (content === undefined) break
        const written = await files.write(at, content, { ifVersion: file.version })
        if (written.ok || written.code !== 'conflict') {
          valueOf(written, path, absent)
          return `The file ${path} has been edited.`
        }
        file = valueOf(await files.read(at), path, absent)
      }
      throw new Error(`The file ${path} was changed by somebody else meanwhile. View it again.`)
    },

    async delete({ path }) {
      const at = inFiles(path)
      if (at === '') throw new Error('Cannot delete the /memories directory itself')
      const absent = `The path ${path} does not exist`
      const gone = await remove(at)
      if (gone.ok || gone.code !== 'is_directory') valueOf(gone, path, absent)
      else {
        const below = await filesBelow(at)
        if (below.length === 0) throw new Error(absent)
        for (const { path: file } of below) {
          const one = await remove(toFiles(file))
          // Somebody else may have been faster.
          if (!one.ok && one.code !== 'not_found') valueOf(one, file, absent)
        }
      }
      return `Successfully deleted ${path}`
    },

    async rename({ old_path: from, new_path: to }) {
      const [source, target] = [inFiles(from), inFiles(to)]
      if (source === '') throw new Error('Cannot rename the /memories directory itself')
      const absent = `The path ${from} does not exist`
      const taken = `The destination ${to} already exists`
      if (target === '' || (await isThere(target))) throw new Error(taken)
      if (target.startsWith(`${source}/`)) throw new Error(`The path ${from} cannot be moved into itself.`)
      const moved = await move(source, target)
      if (!moved.ok && moved.code === 'exists')
        throw new Error((await isThere(target)) ? taken : `The path ${to} is below a file.`)
      if (moved.ok || moved.code !== 'is_directory') valueOf(moved, from, absent)
      else {
        const below = await filesBelow(source)
        if (below.length === 0) throw new Error(absent)
        for (const { path: file } of below) {
          const old = toFiles(file)
          valueOf(await move(old, target + old.slice(source.length)), file, absent)
        }
      }
      return `Successfully renamed ${from} to ${to}`
    },
  }
}

function changing(files: Files): { remove: Required<Files>['delete']; move: Required<Files>['move'] } {
  if (typeof files?.delete !== 'function' || typeof files.move !== 'function') {
    throw new KeepsakeError('invalid_value', 'anthropicMemory needs files with delete and move, such as rowFiles.')
  }
  return { remove: files.delete.bind(files), move: files.move.bind(files) }
}

/** A path as a pattern that fits it alone. */
function escapeGlob(path: string): string {
  return path.replaceAll(/[*?[{]/g, '[$&]')
}

/** Inputs come from a model. */
function checkText(name: string, value: unknown): asserts value is string {
  if (typeof value !== 'string') throw new Error(`The parameter \`${name}\` must be a text.`)
}

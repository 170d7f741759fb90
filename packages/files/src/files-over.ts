import { describeType, isQuarantined, KeepsakeError, throwIfAborted, trusted, type CallOptions } from '@keepsake/core'
import { checkVersion } from './check-version.ts'
import { editText } from './edit.ts'
import { changedSince, failure, ok, tooLarge } from './failures.ts'
import { addSources, checkSources, sourcesShown } from './file-sources.ts'
import type { FileTree, TreeChangeOptions } from './file-tree.ts'
import { MAX_FILE_BYTES, type ChangeOptions, type Files, type GrepMatch, type Result } from './files.ts'
import { compileGlob } from './glob.ts'
import { grepText } from './grep.ts'
import { inParallel } from './in-parallel.ts'
import { opMark } from './op-mark.ts'
import { parseFilePath, parsePath, type VirtualPath } from './paths.ts'
import { decodeText, encodeText } from './text.ts'
import { copyUploads } from './uploads.ts'

/** How many files a download reads at a time: a process may open about 1,000. */
const MAX_OPEN = 16

/** Makes a file system of a kind of storage. All rules that are the same everywhere are here. */
export function filesOver(tree: FileTree): Required<Files> {
  async function read(path: string, options: CallOptions) {
    return onFile(path, options, (checked) => tree.read(checked, options))
  }

  async function writeBytes(
    path: string,
    bytes: Uint8Array,
    ifVersion: string | null | undefined,
    options: TreeChangeOptions,
  ) {
    if (bytes.length > MAX_FILE_BYTES) return tooLarge(bytes.length)
    return onFile(path, options, (checked) => tree.write(checked, bytes, ifVersion, options))
  }

  return {
    async ls(path, options = {}) {
      throwIfAborted(options.signal)
      const parsed = parsePath(path)
      return parsed.ok ? tree.list(parsed.value, options) : parsed
    },

    async read(path, options = {}) {
      const file = await read(path, options)
      if (!file.ok) return file
      const text = decodeText(file.value.bytes)
      const { version, sources } = file.value
      return text.ok ? ok({ content: text.value, version, ...sourcesShown(sources) }) : text
    },

    async write(path, content, { ifVersion, ...given } = {}) {
      checkText(content, 'content')
      checkVersion(ifVersion)
      const options = await marked(given)
      const bytes = encodeText(content)
      return bytes.ok ? writeBytes(path, bytes.value, ifVersion, options) : bytes
    },

    async edit(path, oldText, newText = '', { all = false, ...given } = {}) {
      checkText(oldText, 'oldText')
      checkText(newText, 'newText')
      const options = await marked(given)
      let lines: number[] = []
      const changed = await onFile(path, options, (checked) =>
        tree.change(
          checked,
          (bytes) => {
            const text = decodeText(bytes)
            if (!text.ok) return text
            const edited = editText(text.value, oldText, newText, all)
            if (!edited.ok) return edited
            lines = edited.value.lines
            const encoded = encodeText(edited.value.content)
            return encoded.ok && encoded.value.length > MAX_FILE_BYTES ? tooLarge(encoded.value.length) : encoded
          },
          options,
        ),
      )
      return changed.ok ? ok({ version: changed.value.version, lines }) : changed
    },

    async glob(pattern, options = {}) {
      throwIfAborted(options.signal)
      const glob = compileGlob(pattern)
      if (!glob.ok) return glob
      const found = []
      for await (const { info } of tree.walk(glob.value.base, glob.value.maxDepth, options)) {
        if (glob.value.matches(segmentsOf(info.path))) found.push(info)
      }
      return ok(found)
    },

    async grep(text, { glob: pattern = '**', limit = Number.POSITIVE_INFINITY, ...options } = {}) {
      throwIfAborted(options.signal)
      checkText(text, 'text')
      checkLimit(limit)
      if (text === '') return failure('no_match', 'the text to find is empty')
      const glob = compileGlob(typeof pattern === 'string' && !pattern.includes('/') ? `**/${pattern}` : pattern)
      if (!glob.ok) return glob
      const found: GrepMatch[] = []
      for await (const { info, load } of tree.walk(glob.value.base, glob.value.maxDepth, options)) {
        if (!glob.value.matches(segmentsOf(info.path))) continue
        const file = await load()
        const content = file.ok ? decodeText(file.value.bytes) : file
        if (!content.ok) continue
        const isWaiting = file.ok && isQuarantined(file.value.sources)
        for (const match of grepText(content.value, text)) {
          found.push({ path: info.path, ...match, ...(isWaiting && { quarantined: true as const }) })
          if (found.length === limit) return ok(found)
        }
      }
      return ok(found)
    },

    async upload(files, given = {}) {
      const uploads = copyUploads(files)
      const options = await marked(given)
      const results: Result<{ path: string; version: string }>[] = []
      for (const { path, bytes, ifVersion } of uploads) {
        const written = await writeBytes(path, bytes, ifVersion, options)
        results.push(written.ok ? ok({ path, version: written.value.version }) : written)
      }
      return results
    },

    async download(paths, options = {}) {
      return inParallel(paths, MAX_OPEN, async (path) => {
        const file = await read(path, options)
        if (!file.ok) return file
        const { bytes, version, sources } = file.value
        return ok({ path, bytes, version, ...sourcesShown(sources) })
      })
    },

    async delete(path, { ifVersion, ...options } = {}) {
      checkVersion(ifVersion)
      return onFile(path, options, (checked) => tree.delete(checked, ifVersion, options))
    },

    async move(from, to, options = {}) {
      return onFile(from, options, (source) =>
        onFile(to, options, async (target) => {
          const file = await tree.read(source, options)
          if (!file.ok) return file
          // Made first and deleted second: after a crash in between the file is there twice, never not at all.
          const { bytes, sources } = file.value
          const whole = { ...options, ...(sources !== undefined && { sources: () => sources }) }
          const made = await tree.write(target, bytes, null, whole)
          if (!made.ok) return made
          const deleted = await tree.delete(source, file.value.version, options)
          if (!deleted.ok) await tree.delete(target, made.value.version, options)
          return deleted
        }),
      )
    },

    async approve(path, { ifVersion, ...options }) {
      checkVersion(ifVersion)
      return onFile(path, options, async (checked) => {
        const file = await tree.read(checked, options)
        if (!file.ok) return file
        if (file.value.version !== ifVersion) return changedSince()
        if (!isQuarantined(file.value.sources)) return ok({ version: ifVersion })
        return tree.write(checked, file.value.bytes, ifVersion, { ...options, sources: trusted })
      })
    },
  }
}

async function marked({ opId, sources, ...options }: ChangeOptions): Promise<TreeChangeOptions> {
  const added = sources === undefined ? [] : checkSources(sources)
  return {
    ...options,
    ...(added.length > 0 && { sources: (before: readonly string[]) => addSources(before, added) }),
    ...(opId !== undefined && { opId: await opMark(opId) }),
  }
}

async function onFile<T>(
  path: string,
  { signal }: CallOptions,
  work: (path: VirtualPath) => Promise<Result<T>>,
): Promise<Result<T>> {
  throwIfAborted(signal)
  const parsed = parseFilePath(path)
  return parsed.ok ? work(parsed.value) : parsed
}

const segmentsOf = (path: string): string[] => path.slice(1).split('/')

function checkText(text: unknown, what: string): void {
  if (typeof text !== 'string') throw wrongType(what, 'a text', text)
}

function checkLimit(limit: number): void {
  if (limit === Number.POSITIVE_INFINITY || (Number.isSafeInteger(limit) && limit >= 1)) return
  throw new KeepsakeError('invalid_value', `limit must be a whole number from 1; it is ${String(limit)}.`)
}

function wrongType(what: string, wanted: string, value: unknown): KeepsakeError {
  return new KeepsakeError('invalid_value', `${what} must be ${wanted}; it is ${describeType(value)}.`)
}

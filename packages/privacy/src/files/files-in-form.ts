import { backoff, isQuarantined, type CallOptions } from '@keepsake/core'
import type { FileInfo, Files, Result } from '@keepsake/files'
import {
  escapeGlob,
  filesOver,
  ok,
  permissionDenied,
  toPath,
  type FileTree,
  type StoredFile,
} from '@keepsake/files/tree'

/** How the content of files is kept in other files. */
export interface ContentForm {
  /** What is kept. */
  toStored(bytes: Uint8Array, path: string, options: CallOptions): Promise<Uint8Array>
  /** The inverse, of what may be anything. */
  fromStored(stored: Uint8Array, path: string, options: CallOptions): Promise<Result<Uint8Array>>
  /** How many bytes what is kept has more. */
  addedBytes: number
}

/** In no file, which is well-formed: an edit that looks for it changes nothing. */
const NEVER = '\uD800\uD800'

/**
 * Files whose content other files keep in another form. Their paths, versions and sources are those of the others, so
 * whatever guards those against lost writes guards these.
 */
export function filesInForm(files: Files, form: ContentForm): Required<Files> {
  return {
    ...filesOver(treeOver(files, form)),
    async approve(path, options) {
      return files.approve?.(path, options) ?? permissionDenied('approving', path)
    },
  }
}

function treeOver(files: Files, form: ContentForm): FileTree {
  async function read(path: string, options: CallOptions): Promise<Result<StoredFile>> {
    const [file] = await files.download([path], options)
    if (!file!.ok) return file!
    const { bytes: stored, version, sources } = file!.value
    const bytes = await form.fromStored(stored, path, options)
    return bytes.ok ? ok({ bytes: bytes.value, version, ...(sources !== undefined && { sources }) }) : bytes
  }

  const tree: FileTree = {
    read: ({ path }, options) => read(path, options),

    async write({ path }, bytes, ifVersion, { sources, ...options }) {
      // Of the other files' own, they keep what was before.
      const added = sources?.([])
      if (isQuarantined(added) && files.approve === undefined) return permissionDenied('writing', path)
      const stored = await form.toStored(bytes, path, options)
      const over = async (version: string | null | undefined) => {
        const file = { path, bytes: stored, ...(version !== undefined && { ifVersion: version }) }
        const [written] = await files.upload([file], { ...options, ...(added !== undefined && { sources: added }) })
        return written!.ok ? ok({ version: written!.value.version }) : written!
      }
      const made = await over(ifVersion)
      if (made.ok || made.code !== 'exists' || ifVersion !== null) return made
      // What can no longer be read is not there: it is written over.
      const [there] = await files.download([path], options)
      if (!there!.ok) return made
      const readable = await form.fromStored(there!.value.bytes, path, options)
      return readable.ok ? made : over(there!.value.version)
    },

    async change(path, change, options) {
      const { opId, signal } = options
      if (opId !== undefined) {
        // An edit of a name that the file holds is answered, and any other here finds nothing to change.
        const held = await files.edit(path.path, NEVER, '', { opId, signal })
        if (held.ok) return ok({ version: held.value.version })
      }
      for (let attempt = 0; ; await backoff(++attempt, 'Editing a file', options.signal)) {
        const file = await read(path.path, options)
        if (!file.ok) return file
        const changed = change(file.value.bytes)
        if (!changed.ok) return changed
        const written = await tree.write(path, changed.value, file.value.version, options)
        if (written.ok || written.code !== 'conflict') return written
      }
    },

    async list({ path }, options) {
      const listed = await files.ls(path, options)
      return listed.ok ? ok(listed.value.map(shown)) : listed
    },

    async *walk(base, maxDepth, options) {
      const narrow = await files.glob([...base.map(escapeGlob), '**'].join('/'), options)
      // A pattern may be shorter than a path.
      const found = narrow.ok ? narrow : await files.glob('**', options)
      if (!found.ok) return
      const below = base.length === 0 ? '/' : `${toPath(base)}/`
      for (const info of found.value) {
        if (!info.path.startsWith(below) || info.path.split('/').length - 1 > maxDepth) continue
        yield { info: shown(info), load: () => read(info.path, options) }
      }
    },

    async delete({ path }, ifVersion, options) {
      if (files.delete === undefined) return permissionDenied('deleting', path)
      return files.delete(path, { ...options, ...(ifVersion !== undefined && { ifVersion }) })
    },
  }

  function shown(info: FileInfo): FileInfo {
    return info.sizeBytes === undefined ? info : { ...info, sizeBytes: Math.max(0, info.sizeBytes - form.addedBytes) }
  }

  return tree
}

import { inMemoryStore } from '@keepsake/core'
import { rowFiles, type Files } from '@keepsake/files'
import type { OpenedFiles } from './files-case.ts'

/** A file system with one fault, for the tests of the suite. */
export interface BrokenFiles {
  readonly name: string
  /** The name of a case of `filesCases` that must fail on it. */
  readonly caughtBy: string
  open(): OpenedFiles
}

type Change = (good: Required<Files>) => Partial<Files>

/** Faults of file systems that were seen in the wild, each with a case that finds it. */
export const brokenFiles: readonly BrokenFiles[] = [
  broken(
    'edits by a read and a blind write',
    '32 edits of different lines at once, through two handles, all land',
    (good) => ({
      async edit(path, oldText, newText, options) {
        const read = await good.read(path)
        if (!read.ok) return read
        const edited = await good.edit(path, oldText, newText, options)
        if (!edited.ok) return edited
        const content = read.value.content.replace(oldText, () => newText)
        const written = await good.write(path, content)
        return written.ok ? { ok: true, value: { ...edited.value, version: written.value.version } } : written
      },
    }),
  ),
  broken('overwrites where it should create', 'ifVersion null creates, and replaces nothing', (good) => ({
    write: (path, content, { ifVersion, ...options } = {}) =>
      good.write(
        path,
        content,
        ifVersion === null ? options : { ...options, ...(ifVersion !== undefined && { ifVersion }) },
      ),
  })),
  broken('ignores versions', 'ifVersion replaces that version and no other', (good) => ({
    write: (path, content, { ifVersion, ...options } = {}) =>
      good.write(path, content, ifVersion === null ? { ...options, ifVersion } : options),
  })),
  broken('checks a version, then writes', 'one of two writers of the same version and the same text wins', (good) => ({
    async write(path, content, { ifVersion, ...options } = {}) {
      if (ifVersion === undefined || ifVersion === null)
        return good.write(path, content, { ...options, ...(ifVersion === null && { ifVersion }) })
      const read = await good.read(path)
      if (!read.ok || read.value.version !== ifVersion) return { ok: false, code: 'conflict', message: 'changed' }
      return good.write(path, content, options)
    },
  })),
  broken('deletes whatever is there', 'a delete takes a file, and of a named version no other', (good) => ({
    delete: (path) => good.delete(path),
  })),
  broken(
    'forgets what an edit is called',
    'an edit that is repeated with its opId lands once, also by another handle',
    (good) => ({
      edit: (path, oldText, newText, options = {}) =>
        good.edit(path, oldText, newText, { ...options, opId: undefined }),
    }),
  ),
  broken(
    'forgets what a creation is called',
    'a creation that is repeated with its opId is no error, and another one is',
    (good) => ({
      write: (path, content, options = {}) => good.write(path, content, { ...options, opId: undefined }),
    }),
  ),
  broken(
    'forgets where an edit came from',
    'an untrusted source puts a file in quarantine by every way to write it',
    (good) => ({
      edit: (path, oldText, newText, options = {}) => good.edit(path, oldText, newText, { ...options, sources: [] }),
    }),
  ),
  broken(
    'trusts what is written over by somebody else',
    'later writes by whoever leave a file in quarantine, and sources come together',
    (good) => ({
      async write(path, content, options = {}) {
        const written = await good.write(path, content, options)
        if (!written.ok || options.sources !== undefined) return written
        return good.approve(path, { ifVersion: written.value.version })
      },
    }),
  ),
  broken(
    'approves whatever is there',
    'approve lets out the version that was looked at, with its text and sources',
    (good) => ({
      async approve(path, options) {
        const read = await good.read(path)
        return read.ok ? good.approve(path, { ...options, ifVersion: read.value.version }) : read
      },
    }),
  ),
  broken(
    'moves the text alone',
    'a move takes the mark along, and a file that is made in its place has none',
    (good) => ({
      async move(from, to) {
        const read = await good.read(from)
        if (!read.ok) return read
        const made = await good.write(to, read.value.content, { ifVersion: null })
        return made.ok ? good.delete(from) : made
      },
    }),
  ),
  broken(
    'remembers edits in the process that made them',
    'an edit that is repeated with its opId lands once, also by another handle',
    (good) => {
      const landed = new Set<string>()
      return {
        async edit(path, oldText, newText, { opId, ...options } = {}) {
          const read = await good.read(path)
          if (read.ok && opId !== undefined && landed.has(opId))
            return { ok: true, value: { version: read.value.version, lines: [] } }
          const edited = await good.edit(path, oldText, newText, options)
          if (edited.ok && opId !== undefined) landed.add(opId)
          return edited
        },
      }
    },
  ),
  broken(
    'remembers an edit that was refused',
    'an edit that was refused has not landed: it can be made later',
    (good) => {
      const tried = new Set<string>()
      return {
        async edit(path, oldText, newText, options = {}) {
          const { opId } = options
          if (opId !== undefined && tried.has(opId)) return { ok: true, value: { version: '0', lines: [1] } }
          if (opId !== undefined) tried.add(opId)
          return good.edit(path, oldText, newText, options)
        },
      }
    },
  ),
  broken('recognises an edit by its text', 'an edit that was refused has not landed: it can be made later', (good) => ({
    async edit(path, oldText, newText, options) {
      const edited = await good.edit(path, oldText, newText, options)
      return !edited.ok && edited.code === 'no_match' ? { ok: true, value: { version: '0', lines: [] } } : edited
    },
  })),
  broken(
    'forgets operations with a write of the whole file',
    'an edit is recognised though the text that it looks for is gone, and after the whole file was replaced',
    (good) => ({
      async write(path, content, options = {}) {
        if (options.ifVersion === undefined) await good.delete(path)
        return good.write(path, content, options)
      },
    }),
  ),
  broken(
    'replaces the first of several occurrences',
    'an edit changes nothing where the text is missing or ambiguous',
    (good) => ({
      async edit(path, oldText, newText, options) {
        const edited = await good.edit(path, oldText, newText, options)
        if (edited.ok || edited.code !== 'many_matches') return edited
        const read = await good.read(path)
        if (!read.ok) return read
        const written = await good.write(
          path,
          read.value.content.replace(oldText, () => newText),
        )
        return written.ok ? { ok: true, value: { version: written.value.version, lines: [1] } } : written
      },
    }),
  ),
  broken('expands $ in a replacement', 'nothing is special in a replacement', (good) => ({
    edit: (path, oldText, newText, options) => good.edit(path, oldText, oldText.replace(oldText, newText), options),
  })),
  broken(
    'makes LF of CRLF',
    'a CRLF file is edited with LF text, and what is not replaced stays byte for byte',
    (good) => ({
      write: (path, content, options) => good.write(path, content.replaceAll('\r\n', '\n'), options),
    }),
  ),
  broken('takes a byte-order mark away', 'kept exactly: a byte-order mark', (good) => ({
    write: (path, content, options) => good.write(path, content.replace(/^\uFEFF/, ''), options),
  })),
  broken('trims what it keeps', 'kept exactly: CRLF', (good) => ({
    write: (path, content, options) => good.write(path, content.trimEnd(), options),
  })),
  broken('makes text of bytes', 'bytes that are no text are carried, and never changed into text: 255', (good) => ({
    upload: async (files, options) => {
      const results = []
      for (const { path, bytes } of files) {
        const written = await good.write(path, new TextDecoder().decode(bytes), options)
        results.push(written.ok ? ({ ok: true, value: { path, ...written.value } } as const) : written)
      }
      return results
    },
  })),
  broken('refuses two dots anywhere', 'an ordinary name: two dots inside a name', (good) => ({
    write: async (path, content, options) =>
      typeof path === 'string' && path.includes('..')
        ? { ok: false, code: 'invalid_path', message: 'invalid_path' }
        : good.write(path, content, options),
  })),
  broken('resolves ".." instead of refusing it', 'refused on every verb: up and back in', (good) => ({
    read: (path, options) => good.read(resolved(path), options),
  })),
  broken('has one verb without a check', `refused on every verb: 378 ways up`, (good) => ({
    ls: async (path, options) => {
      const listed = await good.ls(path, options)
      return listed.ok || listed.code !== 'invalid_path' ? listed : { ok: true, value: [] }
    },
  })),
  broken('throws for a bad path', 'refused on every verb: the parent', (good) => ({
    async read(path, options) {
      const read = await good.read(path, options)
      if (!read.ok && read.code === 'invalid_path') throw new Error(read.message)
      return read
    },
  })),
  broken('folds the case of names', 'the same opId names changes of different files', (good) => ({
    write: (path, content, options) =>
      good.write(typeof path === 'string' ? path.toLowerCase() : path, content, options),
  })),
  broken('lists in the order of UTF-16', 'a directory is listed in the order of its names, by code points', (good) => ({
    async ls(path, options) {
      const listed = await good.ls(path, options)
      // oxlint-disable-next-line unicorn/no-array-sort -- the fault is JavaScript's own order.
      return listed.ok ? { ok: true, value: listed.value.toSorted((a, b) => (a.path < b.path ? -1 : 1)) } : listed
    },
  })),
  broken('lists one page', 'hundreds of files are listed whole', (good) => ({
    async glob(pattern, options) {
      const found = await good.glob(pattern, options)
      return found.ok ? { ok: true, value: found.value.slice(0, 100) } : found
    },
  })),
  broken('takes a text to find for a pattern', 'grep finds a text literally, with line and text', (good) => ({
    async grep(text, options) {
      return text === 'M.lk' ? good.grep('Milk', options) : good.grep(text, options)
    },
  })),
  broken('moves over what is there', 'a move takes a file to a free path, whole', (good) => ({
    async move(from, to, options) {
      if (from !== to && (await good.read(to)).ok) await good.delete(to)
      return good.move(from, to, options)
    },
  })),
  broken('keeps a list of files as it was', 'what is written is found at once, and what is deleted no more', (good) => {
    let kept: ReturnType<Files['glob']> | undefined
    return { glob: (pattern, options) => (kept ??= good.glob(pattern, options)) }
  }),
  broken('goes on after its signal', 'a signal that has fired ends every verb', (good) => ({
    ls: (path) => good.ls(path),
  })),
  broken('keeps the array that it is given', 'uploaded bytes are those of the moment of the call', (good) => ({
    async upload(files, options) {
      const results = []
      for (const file of files) {
        await Promise.resolve()
        results.push(...(await good.upload([file], options)))
      }
      return results
    },
  })),
]

/** A fault as a change to files that keep all rules. Handles share one store; the fault is each handle's own. */
function broken(name: string, caughtBy: string, change: Change): BrokenFiles {
  return {
    name,
    caughtBy,
    open() {
      const store = inMemoryStore()
      const handle = (): Required<Files> => {
        const good = rowFiles(store, 'ada')
        return { ...good, ...change(good) }
      }
      return { files: handle(), again: handle() }
    },
  }
}

function resolved(path: string): string {
  if (typeof path !== 'string') return path
  const kept: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop()
    else kept.push(segment)
  }
  return kept.join('/')
}

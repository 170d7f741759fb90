import type { Files, Result } from '@keepsake/files'

/** What is at a directory of a file system, as a file system: what a user of a mount sees, named from there. */
export function inMount(files: Required<Files>, at: string): Required<Files> {
  const into = (path: string): string => (typeof path === 'string' ? `${at}/${path}` : path)
  const intoGlob = (pattern: string): string =>
    typeof pattern === 'string' ? `${at.replaceAll('[', '[[]')}/${pattern}` : pattern
  const outOf = <T extends { path: string }>(item: T): T => ({ ...item, path: item.path.slice(at.length) })
  /** What is said about a path, about that path from here. */
  async function said<T, R = T>(result: Promise<Result<T>>, show?: (value: T) => R): Promise<Result<R>> {
    const { ok, ...rest } = await result
    if (ok) return { ok, value: show === undefined ? (rest as { value: R }).value : show((rest as { value: T }).value) }
    const { code, message } = rest as Extract<Result<T>, { ok: false }>
    return { ok, code, message: message.replace(`${at}/`, '/') }
  }
  return {
    ls: (path, options) => said(files.ls(into(path), options), (found) => found.map(outOf)),
    read: (path, options) => said(files.read(into(path), options)),
    write: (path, content, options) => said(files.write(asFile(path, into(path)), content, options)),
    edit: (path, oldText, newText, options) => said(files.edit(into(path), oldText, newText, options)),
    glob: (pattern, options) => said(files.glob(intoGlob(pattern), options), (found) => found.map(outOf)),
    grep(text, { glob = '**', ...options } = {}) {
      const pattern = glob.includes('/') ? glob : `**/${glob}`
      return said(files.grep(text, { ...options, glob: intoGlob(pattern) }), (found) => found.map(outOf))
    },
    async upload(given, options) {
      const results = await files.upload(
        given.map((file) => ({ ...file, path: into(file.path) })),
        options,
      )
      return Promise.all(results.map((result) => said(Promise.resolve(result), outOf)))
    },
    async download(paths, options) {
      const results = await files.download(paths.map(into), options)
      return Promise.all(results.map((result) => said(Promise.resolve(result), outOf)))
    },
    delete: (path, options) => said(files.delete(asFile(path, into(path)), options)),
    move: (from, to, options) => said(files.move(into(from), into(to), options)),
  }
}

/** The root of a mount has many names, and none of them ends with a slash that would make it no file. */
function asFile(path: string, placed: string): string {
  return /^[./]*$/.test(path) && !path.includes('..') ? placed.replace(/[/.]+$/, '') : placed
}

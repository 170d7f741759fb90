import type { Files, Result } from '@keepsake/files'

/** What is at a directory of a file system, as a file system: what a user of a mount sees, named from there. */
export function inMount(files: Required<Files>, at: string): Required<Files> {
  const escaped = at.replaceAll('[', '[[]')
  function into(path: string): string {
    if (typeof path !== 'string') return path
    // The root has many names.
    return /^(?:\/|\.(?=\/|$))*$/.test(path) ? at : `${at}/${path}`
  }
  const outOf = <T extends { path: string }>(item: T): T => ({ ...item, path: item.path.slice(at.length) })
  /** What is said about a path, about that path from here. */
  function said<T>(result: Result<T>): Result<T> {
    return result.ok ? result : { ...result, message: result.message.replace(`${at}/`, '/') }
  }
  const found = <T extends { path: string }>(result: Result<T[]>): Result<T[]> =>
    result.ok ? { ok: true, value: result.value.map(outOf) } : said(result)
  const named = <T extends { path: string }>(results: Result<T>[], paths: readonly string[]): Result<T>[] =>
    results.map((result, i) => (result.ok ? { ok: true, value: { ...result.value, path: paths[i]! } } : said(result)))

  return {
    ls: async (path, options) => found(await files.ls(into(path), options)),
    read: async (path, options) => said(await files.read(into(path), options)),
    write: async (path, content, options) => said(await files.write(into(path), content, options)),
    edit: async (path, oldText, newText, options) => said(await files.edit(into(path), oldText, newText, options)),
    glob: async (pattern, options) => found(await files.glob(`${escaped}/${pattern}`, options)),
    async grep(text, { glob = '**', ...options } = {}) {
      const pattern = glob.includes('/') ? glob : `**/${glob}`
      return found(await files.grep(text, { ...options, glob: `${escaped}/${pattern}` }))
    },
    async upload(given, options) {
      const paths = given.map((file) => file.path)
      const uploads = given.map((file) => ({ ...file, path: into(file.path) }))
      return named(await files.upload(uploads, options), paths)
    },
    download: async (paths, options) => named(await files.download(paths.map(into), options), paths),
    delete: async (path, options) => said(await files.delete(into(path), options)),
    approve: async (path, options) => said(await files.approve(into(path), options)),
    move: async (from, to, options) => said(await files.move(into(from), into(to), options)),
  }
}

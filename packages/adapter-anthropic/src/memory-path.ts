import type { Result } from '@keepsake/files'

const ROOT = '/memories'

/** Turns paths of the tool, which begin with `/memories`, into those of the files. Throws what the model is told. */
export interface MemoryPaths {
  /** The path in the files, without a slash at its end; empty for all of `/memories`. */
  inFiles: (path: string) => string
  /** The tool's path for one that the files gave. */
  shown: (path: string) => string
}

/** `directory` has no slash at its end: empty for the root of the files. */
export function memoryPaths(directory: string): MemoryPaths {
  return {
    inFiles(path) {
      if (typeof path !== 'string' || (path !== ROOT && !path.startsWith(`${ROOT}/`))) {
        throw new Error(`Path must start with ${ROOT}, got: ${path}`)
      }
      const segments = path
        .slice(ROOT.length)
        .split('/')
        .filter((segment) => segment !== '' && segment !== '.')
      if (segments.includes('..')) throw new Error(`Path ${path} would escape ${ROOT} directory`)
      const below = segments.map((segment) => `/${segment}`).join('')
      return below === '' ? '' : `${directory}${below}`
    },
    shown: (path) => `${ROOT}${path.slice(directory.length)}`,
  }
}

/** The value, or an error in the words of the tool: with its path and none of the files' own. */
export function valueOf<T>(result: Result<T>, path: string, absent: string): T {
  if (result.ok) return result.value
  switch (result.code) {
    case 'not_found':
      throw new Error(absent)
    case 'is_directory':
      throw new Error(`The path ${path} is not a file.`)
    case 'permission_denied':
      throw new Error(`Permission denied for ${path}.`)
    case 'not_text':
      throw new Error(`The file ${path} is not UTF-8 text.`)
    case 'exists':
      // The only other file that can be in the way of a path.
      throw new Error(`The path ${path} is below a file.`)
    default:
      throw new Error(`The path ${path} cannot be used: ${result.message}.`)
  }
}

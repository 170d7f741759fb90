import type { FileInfo } from '@keepsake/files'

interface Listed {
  path: string
  sizeBytes: number
}

/** How deep a directory is shown. */
const MAX_DEPTH = 2

/**
 * A directory as the tool shows it: its size, then what is in it down to two levels, without hidden items and
 * node_modules. The size of a directory is that of the files in it. `path` is the tool's, without a slash at its end;
 * `files` are all files below, by the tool's paths.
 */
export function listDirectory(path: string, files: readonly FileInfo[]): string {
  const items = new Map<string, Listed>()
  let total = 0
  for (const { path: at, sizeBytes = 0 } of files) {
    total += sizeBytes
    const segments = at.slice(path.length + 1).split('/')
    const hidden = segments.findIndex((segment) => segment.startsWith('.') || segment === 'node_modules')
    const end = hidden === -1 ? segments.length : hidden
    for (let depth = 1; depth <= Math.min(end, MAX_DEPTH); depth++) {
      const isDirectory = depth < segments.length
      const name = `${segments.slice(0, depth).join('/')}${isDirectory ? '/' : ''}`
      const known = items.get(name)
      if (known === undefined) items.set(name, { path: name, sizeBytes })
      else known.sizeBytes += sizeBytes
    }
  }
  const lines = [...items.values()]
    .toSorted((a, b) => compareSegments(a.path.split('/'), b.path.split('/')))
    .map((item) => `${formatSize(item.sizeBytes)}\t${path}/${item.path}`)
  const header = `Here're the files and directories up to 2 levels deep in ${path}, excluding hidden items and node_modules:`
  return [header, `${formatSize(total)}\t${path}`, ...lines].join('\n')
}

/** By the names at each level, so that what is in a directory comes right after it. */
function compareSegments(a: readonly string[], b: readonly string[]): number {
  for (const [index, segment] of a.entries()) {
    const other = b[index]
    if (other === undefined) return 1
    if (segment !== other) return segment < other ? -1 : 1
  }
  return a.length - b.length
}

function formatSize(bytes: number): string {
  if (bytes === 0) return '0B'
  const power = Math.min(3, Math.floor(Math.log(bytes) / Math.log(1024)))
  const size = bytes / 1024 ** power
  return `${size % 1 === 0 ? size : size.toFixed(1)}${['B', 'K', 'M', 'G'][power]}`
}

export { filesOver } from './files-over.ts'
export type { FileTree, StoredFile, TreeChangeOptions, WalkedFile } from './file-tree.ts'
export { parsePath, RESERVED_PREFIX, toPath, type VirtualPath } from './paths.ts'
export { checkFiles } from './check-files.ts'
export { escapeGlob } from './glob.ts'
export { keyedQueue } from './keyed-queue.ts'
export {
  alreadyExists,
  changedSince,
  invalidPath,
  isDirectory,
  notDirectory,
  notFound,
  ok,
  permissionDenied,
  tooLarge,
  type Verb,
} from './failures.ts'

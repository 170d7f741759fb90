import type { CallOptions } from '@keepsake/core'
import type { FileInfo, Result } from './files.ts'
import type { VirtualPath } from './paths.ts'

export interface StoredFile {
  bytes: Uint8Array
  version: string
  /** What it was derived from. */
  sources?: readonly string[]
}

/** A file that a walk met. */
export interface WalkedFile {
  info: FileInfo
  load: () => Promise<Result<StoredFile>>
}

/** What a change of a file's content is told. */
export interface TreeChangeOptions extends CallOptions {
  /**
   * Names the change, in 22 characters of `[A-Za-z0-9_-]`. One that the file holds, among its last 16, is not made again:
   * the version of the file is the answer, whatever else the call asks. Every write keeps the names of those before it.
   */
  opId?: string | undefined
  /**
   * Makes the sources of the changed file from those before: at most 1,000 characters, as URLs write them. They lie beside
   * the file and not in it, and land before its bytes do or with them. Left out, they stay; with the file they go.
   */
  sources?: ((before: readonly string[]) => readonly string[]) | undefined
}

/**
 * What a kind of storage must do to be a file system: {@link filesOver} makes {@link Files} of it, so that paths, edits,
 * patterns and texts mean the same in all of them. Paths come checked, bytes are never over the limit.
 */
export interface FileTree {
  read(path: VirtualPath, options: CallOptions): Promise<Result<StoredFile>>
  /** `undefined`: whatever is there; `null`: only if nothing is. */
  write(
    path: VirtualPath,
    bytes: Uint8Array,
    ifVersion: string | null | undefined,
    options: TreeChangeOptions,
  ): Promise<Result<{ version: string }>>
  /** Replaces a file by what `change` makes of its bytes, again on the fresh ones where another write came between. */
  change(
    path: VirtualPath,
    change: (bytes: Uint8Array) => Result<Uint8Array>,
    options: TreeChangeOptions,
  ): Promise<Result<{ version: string }>>
  /** The children of a directory, in the order of names. */
  list(path: VirtualPath, options: CallOptions): Promise<Result<FileInfo[]>>
  /** Every file below a directory, directory by directory in the order of names, down to paths of `maxDepth` segments. */
  walk(base: readonly string[], maxDepth: number, options: CallOptions): AsyncIterable<WalkedFile>
  delete(path: VirtualPath, ifVersion: string | undefined, options: CallOptions): Promise<Result<void>>
}

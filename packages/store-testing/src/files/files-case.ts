import type { Files } from '@keepsake/files'

/** A file system under test. */
export interface OpenedFiles {
  /** Empty. */
  files: Required<Files>
  /** The same files by another handle, as another process would have it. */
  again: Required<Files>
  /** Called when the case is over, passed or not. */
  close?: () => Promise<void>
}

/** One rule of file systems: `run` rejects if it does not hold. */
export interface FilesCase {
  readonly topic: string
  /** Unique among all cases. */
  readonly name: string
  run(opened: OpenedFiles): Promise<void>
}

type FilesCaseEntry = readonly [name: string, run: FilesCase['run']]

/** The cases of one topic. */
export function filesCasesOf(topic: string, entries: readonly FilesCaseEntry[]): FilesCase[] {
  return entries.map(([name, run]) => ({ topic, name, run }))
}

import type { CallOptions } from '@keepsake/core'

/**
 * Why a call on a path did nothing. These are expected outcomes, so they are values: a model is told and goes on.
 *
 * | code | meaning |
 * |---|---|
 * | `not_found` | there is no such file or directory |
 * | `exists` | there is a file already: at this path, or where one of its directories would have to be |
 * | `conflict` | the file is not the version that was named: read it again |
 * | `permission_denied` | the file system, or a rule, does not allow it |
 * | `is_directory` | the path names a directory, and the call is for files |
 * | `invalid_path` | the path cannot be used, or leads out of the root |
 * | `no_match` | the text to find is not there |
 * | `many_matches` | the text to replace occurs more than once |
 * | `too_large` | over {@link MAX_FILE_BYTES} |
 * | `not_text` | the bytes are no UTF-8, or the text is no well-formed Unicode: reading or writing it would change it |
 * | `in_review` | the file came from untrusted content and nobody has approved it: tools for models do not show it |
 */
export type FileErrorCode =
  | 'not_found'
  | 'exists'
  | 'conflict'
  | 'permission_denied'
  | 'is_directory'
  | 'invalid_path'
  | 'no_match'
  | 'many_matches'
  | 'too_large'
  | 'not_text'
  | 'in_review'

export type Failure = { ok: false; code: FileErrorCode; message: string }
export type Result<T> = { ok: true; value: T } | Failure

export interface FileInfo {
  /** From the root, beginning with `/`. */
  path: string
  directory: boolean
  /** Left out for directories. */
  sizeBytes?: number
  /** Unix milliseconds. */
  updatedAtMs?: number
}

/** A line in which a text was found. */
export interface GrepMatch {
  path: string
  /** Counted from 1. */
  line: number
  /** The whole line, without its line ending. */
  text: string
  /** That the file is in quarantine. */
  quarantined?: true
}

/** Where a file came from, as far as its writers said so. */
export interface FileOrigin {
  /** What was passed as `sources`; the oldest are left out where they are many. */
  sources?: string[]
  /** That it was derived from something untrusted, and nobody has approved it yet: keep it out of prompts. */
  quarantined?: true
}

/** Of the calls that a rule may ask about. */
export interface FileCallOptions extends CallOptions {
  /** Somebody has allowed this very call: where `withPermissions` would have to ask for it, it need not any more. */
  approved?: boolean | undefined
}

/** Of the calls that change a file's content. */
export interface ChangeOptions extends FileCallOptions {
  /**
   * Names this change, the same for every attempt at it in whatever process, such as an agent's call of a tool: where the
   * file holds it already, among its last 16, nothing is changed and the file's version is given. Any text that is not
   * empty; the same one may name changes of different files.
   */
  opId?: string | undefined
  /**
   * What the change was derived from, as `sourceText` and `untrustedText` write it. Kept beside the file, never in its text,
   * with those of earlier changes; an untrusted one puts the file in quarantine until it is approved, whatever is written to
   * it meanwhile. Default: nothing is added.
   */
  sources?: readonly string[] | undefined
}

/**
 * A tree of files. Paths begin at its root, with or without a leading `/`; `.` and empty segments fall away.
 *
 * A path never throws, whatever it is: see {@link FileErrorCode}. What throws is a KeepsakeError: `unavailable` when disk
 * or store fail, `aborted`, and `invalid_value` for an argument of a wrong type.
 */
export interface Files {
  /** What is in a directory, in the order of names; of a file, itself. The root always exists. */
  ls(path: string, options?: CallOptions): Promise<Result<FileInfo[]>>
  /** The text exactly as it is stored, byte-order mark and line endings included. */
  read(path: string, options?: FileCallOptions): Promise<Result<{ content: string; version: string } & FileOrigin>>
  /**
   * Replaces or creates a file, whole. With `ifVersion` only over that version; with `null` only if there is none.
   * Directories are made as needed.
   */
  write(
    path: string,
    content: string,
    options?: ChangeOptions & { ifVersion?: string | null },
  ): Promise<Result<{ version: string }>>
  /**
   * Replaces `oldText`, which must occur exactly once unless `all` is set. Where somebody else writes at the same time,
   * the edit is made on the fresh text, so edits of different lines all land. Line endings may be written as LF; the
   * file keeps its own, and every byte that is not replaced. `lines` are where the replacements begin, in the new text;
   * empty for an edit that landed before, by its `opId`.
   */
  edit(
    path: string,
    oldText: string,
    newText: string,
    options?: ChangeOptions & { all?: boolean },
  ): Promise<Result<{ version: string; lines: number[] }>>
  /**
   * Files whose path fits a pattern: `*` and `?` within a name, `**` for any directories, `[abc]`, `[!abc]`, `{a,b}`; to
   * mean such a character itself, put it in a class: `[[]`. The whole path must fit. Names that begin with a dot are
   * found like others.
   */
  glob(pattern: string, options?: CallOptions): Promise<Result<FileInfo[]>>
  /**
   * Lines that hold `text`, which is taken literally, at most `limit` (default: all). `glob` narrows the files; without a
   * slash it is about names in any directory. Files that cannot be read as text are passed over.
   */
  grep(text: string, options?: CallOptions & { glob?: string; limit?: number }): Promise<Result<GrepMatch[]>>
  /** Writes whole files, each by itself, in order: bytes of any kind. `ifVersion` as in `write`. */
  upload(
    files: readonly { path: string; bytes: Uint8Array; ifVersion?: string | null }[],
    options?: ChangeOptions,
  ): Promise<Result<{ path: string; version: string }>[]>
  /** The bytes of files, and the versions that they have. */
  download(
    paths: readonly string[],
    options?: FileCallOptions,
  ): Promise<Result<{ path: string; bytes: Uint8Array; version: string } & FileOrigin>[]>
  /** Deletes a file. With `ifVersion`: only that version. */
  delete?(path: string, options?: FileCallOptions & { ifVersion?: string }): Promise<Result<void>>
  /** Moves a file to a path where there is none, with its sources. */
  move?(from: string, to: string, options?: FileCallOptions): Promise<Result<void>>
  /**
   * Lets a file out of quarantine, in the version that somebody has looked at: it keeps its text and names the same sources.
   * For people and not for models: no tool has it. One that is in no quarantine stays as it is. Files without it cannot
   * keep sources: what models make of untrusted content is not written to them.
   */
  approve?(path: string, options: FileCallOptions & { ifVersion: string }): Promise<Result<{ version: string }>>
}

/** The largest file, in bytes: 2 MiB, so that every file fits into a row of every store. */
export const MAX_FILE_BYTES: number = 2 * 1024 * 1024

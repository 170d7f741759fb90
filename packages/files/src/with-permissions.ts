import { describeType, KeepsakeError, type CallOptions } from '@keepsake/core'
import type { AskingFiles, FileOperation } from './file-approval.ts'
import { ok, permissionDenied, type Verb } from './failures.ts'
import type { Failure, FileCallOptions, FileInfo, Files, Result } from './files.ts'
import { compileGlob, type Glob } from './glob.ts'
import { parsePath, type VirtualPath } from './paths.ts'
import { copyUploads } from './uploads.ts'

type Mode = 'allow' | 'deny' | 'ask'

/** What may be done to some paths. */
export interface Permission {
  /** `read`: `ls`, `read`, `glob`, `grep`, `download`; `write`: `write`, `edit`, `upload`, `delete`, `move`, `approve`. */
  operations: readonly FileOperation[]
  /** Patterns as in `glob`: `/policies/**` is the directory and everything below it. */
  paths: readonly string[]
  mode: Mode
}

/** What a person is asked where a rule says `ask`. */
export interface PermissionRequest extends CallOptions {
  operation: FileOperation
  /** As the refusal would say it. */
  verb: Verb
  /** Checked, beginning with `/`. */
  path: string
  /** Of the change, where it has one: an agent's call of a tool. */
  opId?: string
}

export interface WithPermissionsOptions {
  /**
   * Asked before the file is touched, once for each path of a call; only `true` allows it, and what it throws ends the
   * call. Left out: only calls that are `approved` are allowed, which our agent sees to.
   */
  ask?: (request: PermissionRequest) => boolean | Promise<boolean>
}

interface Rule {
  operations: ReadonlySet<FileOperation>
  globs: readonly Glob[]
  mode: Mode
}

/**
 * A file system in which rules say what may be read and written, whoever calls it. The first rule that fits operation and
 * path decides. Where none fits, it is allowed, unless some rule `allow`s that operation: then what is not allowed is
 * denied. A refusal is `permission_denied`, whether the file exists or not.
 *
 * `ls` and `glob` leave out what may not be read; `grep` also what would have to be asked for; directories are shown where
 * something below them may be read. A move needs both operations on the path that it leaves, and `write` on the new one.
 *
 * Rules are about paths as they are asked for: on a disk that ignores case, or has links, one file has several, so allow
 * what is meant there instead of denying what is not.
 *
 * Where a rule says `ask` and there is no callback, our agent asks: the run is suspended before its file tool is run, as by
 * `toolApproval`, and the call is made once somebody has allowed it. Everybody else is refused: the agent's prompt and its
 * toolset cannot wait for somebody.
 *
 * Throws `invalid_value` for a rule that cannot be read.
 *
 * ```ts
 * const files = withPermissions(shared, [{ operations: ['write'], paths: ['/policies/**'], mode: 'deny' }])
 * ```
 */
export function withPermissions(
  files: Files,
  rules: readonly Permission[],
  { ask }: WithPermissionsOptions = {},
): AskingFiles {
  checkAsk(ask)
  const checked = checkRules(rules)
  const allowListed = new Set(
    checked.filter(({ mode }) => mode === 'allow').flatMap(({ operations }) => [...operations]),
  )
  const unnamed = (operation: FileOperation): Mode => (allowListed.has(operation) ? 'deny' : 'allow')

  function decide(operation: FileOperation, { segments }: VirtualPath): Mode {
    const rule = checked.find(
      ({ operations, globs }) => operations.has(operation) && globs.some((g) => g.matches(segments)),
    )
    return rule?.mode ?? unnamed(operation)
  }

  /** Whether something below a directory may be read, as far as the rules tell. */
  function isOpen(directory: VirtualPath): boolean {
    for (const { operations, globs, mode } of checked) {
      if (!operations.has('read')) continue
      const below = globs.flatMap((glob) => glob.below(directory.segments))
      if (mode === 'deny' ? below.includes('/**') : below.length > 0) return mode !== 'deny'
    }
    return unnamed('read') === 'allow'
  }

  /** `undefined`: it may be done. */
  async function refusal(
    operation: FileOperation,
    verb: Verb,
    path: string,
    { opId, signal, approved }: FileCallOptions & { opId?: string | undefined },
  ): Promise<Failure | undefined> {
    const parsed = parsePath(path)
    // Whatever it is, the file system refuses it in its own words.
    if (!parsed.ok) return undefined
    const mode = decide(operation, parsed.value)
    if (mode === 'allow') return undefined
    const request = { operation, verb, path: parsed.value.path, signal, ...(opId !== undefined && { opId }) }
    // Anything else than `true`, whatever a caller without types answers, is a no.
    const answer: unknown = mode === 'ask' && (ask === undefined ? approved : await ask(request))
    if (answer === true) return undefined
    return permissionDenied(verb, parsed.value.path)
  }

  async function guarded<T>(
    operation: FileOperation,
    verb: Verb,
    path: string,
    options: FileCallOptions & { opId?: string | undefined },
    call: () => Promise<Result<T>>,
  ): Promise<Result<T>> {
    return (await refusal(operation, verb, path, options)) ?? call()
  }

  function isShown({ path, directory }: FileInfo): boolean {
    const parsed = parsePath(path)
    if (!parsed.ok) return false
    return directory ? isOpen(parsed.value) : decide('read', parsed.value) !== 'deny'
  }

  const limited: AskingFiles = {
    needsApproval(operation, path) {
      const parsed = parsePath(path)
      if (!parsed.ok) return false
      const mode = decide(operation, parsed.value)
      if (mode === 'ask' && ask === undefined) return true
      return mode !== 'deny' && ((files as Partial<AskingFiles>).needsApproval?.(operation, path) ?? false)
    },

    async ls(path, options = {}) {
      const parsed = parsePath(path)
      // It is a file where it is listed as itself, and a directory else: one of the two must be open.
      if (parsed.ok && !isOpen(parsed.value) && decide('read', parsed.value) === 'deny') {
        return permissionDenied('reading', parsed.value.path)
      }
      const listed = await files.ls(path, options)
      return listed.ok ? ok(listed.value.filter(isShown)) : listed
    },

    read: (path, options = {}) => guarded('read', 'reading', path, options, () => files.read(path, options)),

    write: (path, content, options = {}) =>
      guarded('write', 'writing', path, options, () => files.write(path, content, options)),

    edit: (path, oldText, newText, options = {}) =>
      guarded('write', 'editing', path, options, () => files.edit(path, oldText, newText, options)),

    async glob(pattern, options = {}) {
      const found = await files.glob(pattern, options)
      return found.ok ? ok(found.value.filter(isShown)) : found
    },

    async grep(text, { limit = Number.POSITIVE_INFINITY, ...options } = {}) {
      for (let atOnce = limit; ; atOnce *= 2) {
        const found = await files.grep(text, { ...options, limit: atOnce })
        if (!found.ok) return found
        const readable = found.value.filter(({ path }) => {
          const parsed = parsePath(path)
          return parsed.ok && decide('read', parsed.value) === 'allow'
        })
        if (readable.length >= limit || found.value.length < atOnce) return ok(readable.slice(0, limit))
      }
    },

    async upload(given, options = {}) {
      const results: Result<{ path: string; version: string }>[] = []
      for (const file of copyUploads(given)) {
        const uploaded = await guarded('write', 'writing', file.path, options, async () => {
          const [only] = await files.upload([file], options)
          return only!
        })
        results.push(uploaded)
      }
      return results
    },

    async download(paths, options = {}) {
      const given = [...paths]
      const refused: (Failure | undefined)[] = []
      // One after the other: a person is asked.
      for (const path of given) refused.push(await refusal('read', 'reading', path, options))
      const allowed = await files.download(
        given.filter((_, index) => refused[index] === undefined),
        options,
      )
      const results = allowed.values()
      return refused.map((reason) => reason ?? results.next().value!)
    },
  }
  if (files.delete !== undefined) {
    limited.delete = (path, options = {}) =>
      guarded('write', 'deleting', path, options, () => files.delete!(path, options))
  }
  if (files.approve !== undefined) {
    limited.approve = (path, options) =>
      guarded('write', 'approving', path, options, () => files.approve!(path, options))
  }
  if (files.move !== undefined) {
    limited.move = async (from, to, options = {}) =>
      (await refusal('read', 'moving', from, options)) ??
      (await refusal('write', 'moving', from, options)) ??
      (await refusal('write', 'writing', to, options)) ??
      files.move!(from, to, options)
  }
  return limited
}

function checkAsk(ask: WithPermissionsOptions['ask']): void {
  if (ask === undefined || typeof ask === 'function') return
  throw invalid(`ask must be a function of a request that returns true or false; it is ${describeType(ask)}.`)
}

function checkRules(rules: readonly Permission[]): Rule[] {
  if (!Array.isArray(rules)) throw invalid(`rules must be a list; it is ${describeType(rules)}.`)
  return rules.map((rule: Partial<Permission> | null | undefined, index) => {
    const { operations, paths, mode } = rule ?? {}
    const where = `rules[${index}]`
    if (!isListOf(operations, (item) => item === 'read' || item === 'write')) {
      throw invalid(`${where}.operations must name "read", "write" or both.`)
    }
    if (!isListOf(paths, (item) => typeof item === 'string')) {
      throw invalid(`${where}.paths must be a list of patterns, such as ["/policies/**"].`)
    }
    if (mode !== 'allow' && mode !== 'deny' && mode !== 'ask') {
      throw invalid(`${where}.mode must be "allow", "deny" or "ask".`)
    }
    const globs = paths.map((path, at) => {
      const glob = compileGlob(path)
      if (!glob.ok) throw invalid(`${where}.paths[${at}] is no pattern (${glob.message}).`)
      return glob.value
    })
    return { operations: new Set(operations), globs, mode }
  })
}

function isListOf<T>(list: readonly T[] | undefined, isItem: (item: unknown) => boolean): list is readonly T[] {
  return Array.isArray(list) && list.length > 0 && list.every(isItem)
}

function invalid(message: string): KeepsakeError {
  return new KeepsakeError('invalid_value', message)
}

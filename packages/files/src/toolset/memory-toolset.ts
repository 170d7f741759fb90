import { KeepsakeError, type CallOptions, type Tool } from '@keepsake/core'
import { checkFiles } from '../check-files.ts'
import type { Files } from '../files.ts'
import { escapeGlob } from '../glob.ts'
import { inParallel } from '../in-parallel.ts'
import { flushCopy, type FlushOptions, type FlushResult } from './flush-copy.ts'
import { lineCount, memoryCopy, type CopyState, type MemoryCopy, type Place } from './memory-copy.ts'
import { memoryTools } from './memory-tools.ts'
import type { FileReads } from './memory-reads.ts'
import { renderMemory, topicParts } from './render-memory.ts'
import { topicIndex, type TopicIndex } from './topic-index.ts'
import { checkToolsetOptions, type ToolsetOptions } from './toolset-options.ts'

/** What a curator is told about a topic file. */
export interface TopicInfo {
  path: string
  description: string
  lines: number
  reads: FileReads | undefined
}

/**
 * Long-term memory in files for one conversation at a time: `load` reads them, `render` shows them in a prompt, `tools`
 * change a copy, `flush` writes it.
 */
export interface MemoryToolset {
  /**
   * Reads all files of `always` and `browse`, and picks the topic files that `query` is about. Those in quarantine are left
   * out: their number is all that the prompt says. Changes that were not flushed are dropped. Throws `unavailable` when the store fails.
   */
  load(options?: CallOptions & { query?: string }): Promise<void>
  /** The memory block for the system message, with the changes so far. Throws `invalid_value` before the first load. */
  render(): string
  /** Plain AI SDK tools over the copy. */
  readonly tools: Record<string, Tool>
  /**
   * Writes what was changed. A file that somebody else changed meanwhile is not overwritten: our changes are made again on
   * the fresh text. Where that cannot be done the file is left alone and named in `conflicts`; the changes stay in the
   * copy. After an error it may be called again: what has landed is recognised.
   */
  flush(options?: FlushOptions): Promise<FlushResult>
  /** The files themselves, for code that works on them like a tool does. */
  readonly copy: MemoryCopy
  /** The files that are shown in full in every prompt. */
  readonly always: readonly string[]
  /** The topic files of this conversation: picked by the query, or read since. */
  recalled(): string[]
  /** The topic files with what is known about their use, in the order of paths. */
  topics(options?: CallOptions): Promise<TopicInfo[]>
  /** Pairs of topic files that say nearly the same, worked out without a model. */
  nearDuplicates(): { paths: [string, string]; similarity: number }[]
}

/** Files that are read at once. */
const MAX_OPEN = 16
/** Words by which a file without a description is listed. */
const LISTED_KEYWORDS = 8

/**
 * Makes a toolset over any files: for `createAgent` (option `toolset`), or by hand around `streamText`. Reading and
 * picking call no model. Making it costs nothing; a load reads every file of `browse`, so keep those directories to some
 * hundred files.
 *
 * ```ts
 * const memory = createMemoryToolset(files, { always: ['/USER.md'], browse: ['/topics/'] })
 * await memory.load({ query: question })
 * await generateText({ model, prompt: question, instructions: memory.render(), tools: memory.tools })
 * await memory.flush()
 * ```
 *
 * Throws `invalid_value` for options that cannot be used.
 */
export function createMemoryToolset(files: Files, options: ToolsetOptions): MemoryToolset {
  checkFiles(files, 'files')
  const setup = checkToolsetOptions(options)
  const { always, browse, maxLines, reads } = setup
  const alwaysShown = new Set(always)

  function placeOf(path: string): Place | undefined {
    if (alwaysShown.has(path)) return 'always'
    return path.endsWith('.md') && browse.some((directory) => isBelow(path, directory)) ? 'topic' : undefined
  }

  const newCopy = (): CopyState =>
    memoryCopy({
      maxLines,
      placeOf,
      templateOf: (path) => (alwaysShown.has(path) ? (setup.templates.get(path) ?? '') : undefined),
    })

  let copy = newCopy()
  let isLoaded = false
  /** Whether the reads since the last load are counted. */
  let isCounted = false
  let index: { versions: string; index: TopicIndex } = { versions: '', index: topicIndex([]) }
  let picked: readonly string[] = []
  const readSince = new Set<string>()
  let problems: ReadonlyMap<string, string> = new Map()
  const descriptions = new Map<string, { content: string; description: string; body: string }>()

  /** A copy of all files as they are now, and why some of them could not be read. */
  async function readAll(callOptions: CallOptions): Promise<{ next: CopyState; unread: Map<string, string> }> {
    const [next, unread] = [newCopy(), new Map<string, string>()]
    await inParallel([...always, ...(await topicPaths(callOptions))], MAX_OPEN, async (path) => {
      const file = await files.read(path, callOptions)
      if (file.ok && file.value.quarantined) next.waiting.add(path)
      else if (file.ok)
        next.files.set(path, { origin: { path, ...file.value }, content: file.value.content, changes: [] })
      else if (file.code !== 'not_found') unread.set(path, file.message)
    })
    return { next, unread }
  }

  async function topicPaths(callOptions: CallOptions): Promise<string[]> {
    const found = await Promise.all(
      browse.map((directory) => files.glob(`${directory === '/' ? '' : escapeGlob(directory)}/**/*.md`, callOptions)),
    )
    const paths = found.flatMap((result) => (result.ok ? result.value.map((info) => info.path) : []))
    return [...new Set(paths)].filter((path) => !alwaysShown.has(path))
  }

  /** What is about a file; worked out once for a text. */
  function partsOf(path: string): { content: string; description: string; body: string } {
    const content = copy.files.get(path)?.content ?? ''
    const known = descriptions.get(path)
    if (known?.content === content) return known
    const parts = { content, ...topicParts(content) }
    descriptions.set(path, parts)
    return parts
  }

  const topicsNow = (): string[] => copy.paths().filter((path) => placeOf(path) === 'topic')

  /** Files that did not change since the last load need not be read into words again. */
  function buildIndex(): TopicIndex {
    const paths = topicsNow()
    const versions = paths.map((path) => `${path}\n${copy.files.get(path)!.origin?.version ?? ''}`).join('\n')
    if (versions !== index.versions) {
      const topics = paths.map((path) => ({ path, ...partsOf(path) }))
      index = { versions, index: topicIndex(topics, setup.recallStopwords) }
    }
    return index.index
  }

  function summaryOf(path: string): string {
    const { description } = partsOf(path)
    return description === '' ? buildIndex().keywords(path, LISTED_KEYWORDS).join(', ') : description
  }

  function recalled(): string[] {
    return [...new Set([...picked, ...readSince])].filter((path) => copy.files.has(path))
  }

  function contentOf(path: string): string {
    const problem = problems.get(path)
    if (problem !== undefined) return `[not loaded: ${problem}]`
    const file = copy.read(path)
    return file.ok ? file.value : ''
  }

  // The tools are given once and the copy is made anew by every load.
  const current: MemoryCopy = {
    paths: () => copy.paths(),
    read: (path) => copy.read(path),
    edit: (...given) => copy.edit(...given),
    editAll: (...given) => copy.editAll(...given),
    write: (...given) => copy.write(...given),
    move: (...given) => copy.move(...given),
  }

  return {
    copy: current,
    always,
    recalled,
    tools: memoryTools(current, {
      names: setup.tools,
      onRead: (path) => {
        if (placeOf(path) === 'topic') readSince.add(path)
      },
    }),

    async load({ query = '', ...callOptions } = {}) {
      const { next, unread } = await readAll(callOptions)
      // All at once: a load that was given up leaves nothing behind.
      copy = next
      problems = unread
      readSince.clear()
      isCounted = false
      for (const path of descriptions.keys()) if (!copy.files.has(path)) descriptions.delete(path)
      picked = query === '' || setup.recallLimit === 0 ? [] : buildIndex().pick(query, setup.recallLimit)
      isLoaded = true
    },

    render() {
      if (!isLoaded) throw new KeepsakeError('invalid_value', 'The memory toolset is not loaded: await load() first.')
      const shown = new Set(picked)
      const listed = topicsNow().filter((path) => !shown.has(path))
      return renderMemory({
        files: [...always, ...picked].map((path) => ({ path, content: contentOf(path) })),
        topics: listed.map((path) => ({ path, summary: summaryOf(path) })),
        waiting: copy.waiting.size,
        maxChars: setup.maxChars,
        tools: setup.tools,
        canCreate: browse.length > 0,
      })
    },

    async flush(callOptions = {}) {
      const result = await flushCopy(files, copy, callOptions, () => setup.clock.newId())
      const seen = [...always, ...recalled()].filter((path) => copy.files.has(path))
      if (reads !== undefined && isLoaded && !isCounted) await reads.add(seen, { signal: callOptions.signal })
      isCounted = true
      return result
    },

    async topics(callOptions = {}) {
      const counted = await reads?.get(callOptions)
      return topicsNow().map((path) => ({
        path,
        description: partsOf(path).description,
        lines: lineCount(partsOf(path).content),
        reads: counted?.get(path),
      }))
    },

    nearDuplicates: () => buildIndex().nearDuplicates(),
  }
}

function isBelow(path: string, directory: string): boolean {
  return path.startsWith(directory === '/' ? '/' : `${directory}/`)
}

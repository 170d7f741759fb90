import { describeType, KeepsakeError, systemClock, type Clock } from '@keepsake/core'
import { parseFilePath, parsePath } from '../paths.ts'
import type { MemoryReads } from './memory-reads.ts'
import type { MemoryToolName } from './memory-tools.ts'

export interface ToolsetOptions {
  /** Files that are shown in full in every prompt, in this order. A missing one begins as its template. */
  always?: readonly string[]
  /** Directories whose Markdown files are listed, by path and one line each, and read on demand: topic files. */
  browse?: readonly string[]
  /** Default: all but `memory_move`, which also needs `allowMove`. */
  tools?: readonly MemoryToolName[]
  /** How many topic files a load with a query shows in full. Default 3. */
  recallLimit?: number
  /** Common words of your domain, which say nothing about what a file is about. */
  recallStopwords?: readonly string[]
  /** What a missing `always` file begins with, by path; written with its first edit. Default: empty. */
  templates?: Readonly<Record<string, string>>
  /** The most lines that a write may make. A longer file that a person made is shown and may shrink. Default 200. */
  maxLines?: number
  /** How many characters of each file are shown in the prompt. What is hidden is marked. Default: all. */
  maxChars?: number
  /** Offer `memory_move`: meant for a curator. Needs files with `delete`. Default `false`. */
  allowMove?: boolean
  /** Counts which files are shown in full and read. Default: not counted. */
  reads?: MemoryReads
  /** Ids. Default: those of the process. */
  clock?: Clock
}

export interface CheckedToolsetOptions {
  always: readonly string[]
  browse: readonly string[]
  tools: readonly MemoryToolName[]
  recallLimit: number
  recallStopwords: readonly string[]
  templates: ReadonlyMap<string, string>
  maxLines: number
  maxChars: number
  reads: MemoryReads | undefined
  clock: Clock
}

const TOOLS: readonly MemoryToolName[] = [
  'read_memory',
  'memory_edit',
  'memory_write',
  'write_topic_file',
  'memory_move',
]

/** The options with their defaults. Throws `invalid_value` naming what cannot be used. */
export function checkToolsetOptions(options: ToolsetOptions): CheckedToolsetOptions {
  const { allowMove = false, reads } = options
  const always = (options.always ?? []).map((path) => filePath('always', path))
  const templates = Object.entries(options.templates ?? {}).map(([path, text]) => {
    const at = filePath('templates', path)
    if (!always.includes(at)) throw invalid(`templates has ${at}, which is not one of always; only those begin as one`)
    return [at, text] as const
  })
  const tools = options.tools ?? TOOLS.filter((name) => allowMove || name !== 'memory_move')
  for (const name of tools) {
    if (!TOOLS.includes(name)) throw invalid(`tools has ${JSON.stringify(name)}; there are ${TOOLS.join(', ')}`)
    if (name === 'memory_move' && !allowMove) throw invalid('tools has memory_move: allow it with allowMove: true')
  }
  return {
    always,
    browse: (options.browse ?? []).map((path) => directoryPath(path)),
    tools,
    recallLimit: wholeNumber('recallLimit', options.recallLimit ?? 3, 0),
    recallStopwords: options.recallStopwords ?? [],
    templates: new Map(templates),
    maxLines: wholeNumber('maxLines', options.maxLines ?? 200, 1),
    maxChars: options.maxChars === undefined ? Number.POSITIVE_INFINITY : wholeNumber('maxChars', options.maxChars, 0),
    reads,
    clock: options.clock ?? systemClock(),
  }
}

function filePath(option: string, path: unknown): string {
  const parsed = parseFilePath(path)
  if (parsed.ok) return parsed.value.path
  throw invalid(`${option} has ${JSON.stringify(path)}: ${parsed.message}`)
}

function directoryPath(path: unknown): string {
  const parsed = parsePath(path)
  if (parsed.ok) return parsed.value.path
  throw invalid(`browse has ${JSON.stringify(path)}: ${parsed.message}`)
}

function wholeNumber(name: string, value: unknown, from: number): number {
  if (Number.isSafeInteger(value) && (value as number) >= from) return value as number
  const shown = typeof value === 'number' ? String(value) : describeType(value)
  throw invalid(`${name} must be a whole number from ${from}; it is ${shown}`)
}

function invalid(what: string): KeepsakeError {
  return new KeepsakeError('invalid_value', `createMemoryToolset: ${what}.`)
}

import { inMemoryStore } from '@keepsake/core'
import { memoryPrompt, rowFiles, type Files } from '@keepsake/files'
import { localFiles } from '@keepsake/files/local'
import { readFile } from 'node:fs/promises'
import { micros, type Line } from './line.ts'
import { compare, type Comparison, type Sizes } from './measure.ts'
import { tempFolder } from './temp-folder.ts'

/** What may be spent on a prompt, in microseconds. */
const PROMPT_MICROS = 2_000
const FILES = 10

export interface FilesTimes {
  /** Beside reading the same files with `readFile`. */
  disk: Comparison
  /** Beside the same files from the disk. */
  memory: Comparison
  /** Characters of the prompt. */
  length: number
}

/** Reading ten memory files and building the prompt of them. */
export async function benchFiles(sizes: Sizes = { rounds: 60, operations: 5 }): Promise<Line[]> {
  const { disk, memory } = await measureFiles(sizes)
  const what = `the prompt of ${FILES} memory files`
  return [
    budget(`${what} on a disk`, disk.oursMicros),
    budget(`${what} in memory`, memory.oursMicros),
    {
      what: `${what} on a disk, beside reading them with readFile`,
      base: micros(disk.baseMicros),
      ours: micros(disk.oursMicros),
      ratio: disk.ratio,
    },
  ]
}

function budget(what: string, spent: number): Line {
  const allowed = `${micros(PROMPT_MICROS)} allowed`
  return { what, base: allowed, ours: micros(spent), ratio: spent / PROMPT_MICROS, goal: 1 }
}

export async function measureFiles(sizes: Sizes): Promise<FilesTimes> {
  using folder = tempFolder()
  const paths = Array.from({ length: FILES }, (_, i) => `/notes/topic-${i}.md`)
  const onDisk = localFiles({ root: folder.file('files') })
  const inMemory = rowFiles(inMemoryStore(), 'ada')
  for (const [i, path] of paths.entries()) await Promise.all([fill(onDisk, path, i), fill(inMemory, path, i)])

  const readAll = () => Promise.all(paths.map((path) => readFile(folder.file(`files${path}`), 'utf8')))
  const fromDisk = () => memoryPrompt(onDisk, paths)
  return {
    disk: await compare({ base: readAll, ours: fromDisk }, sizes),
    memory: await compare({ base: fromDisk, ours: () => memoryPrompt(inMemory, paths) }, sizes),
    length: (await fromDisk()).length,
  }
}

/** About 2 kB, as a file of notes is: a comment, headings, a list, code. */
async function fill(files: Files, path: string, index: number): Promise<void> {
  const facts = Array.from(
    { length: 30 },
    (_, n) => `- Fact ${n} of topic ${index}: it was so <b>then</b>, and is now.`,
  )
  const code = '```html\n<!-- stays -->\n```'
  const written = await files.write(
    path,
    `<!-- One line per fact. -->\n# Topic ${index}\n\n${facts.join('\n')}\n\n${code}\n`,
  )
  if (!written.ok) throw new Error(written.message)
}

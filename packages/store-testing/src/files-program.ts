import type { Files } from '@keepsake/files'

/** What a process of `testFilesProcesses` is asked to do, as its arguments after `where`. */
export type FilesJob =
  | [job: 'edit', first: string, step: string, end: string]
  | [job: 'claim', name: string]
  | [job: 'mark', run: string]

/** The file that they all work on. */
export const SHARED_PATH = '/notes/shared.md'
/** The last line of a file that is marked: an edit puts a line before it, so one made twice would show. */
export const END = '- end\n'

export const lineOf = (index: number): string => `line ${index}:\n`
export const editedLineOf = (index: number): string => `line ${index}: done\n`
export const markOf = (index: number): string => `- mark ${index}\n`
export const markOpId = (run: string, index: number): string => `${run}/mark ${index}`

/**
 * The program of one process of `testFilesProcesses`: opens the files and does what its arguments say. It ends the
 * process.
 *
 * ```ts
 * await runFilesProgram((where) => localFiles({ root: where }))
 * ```
 */
export async function runFilesProgram(open: (where: string) => Files | Promise<Files>): Promise<void> {
  const [where = '', ...job] = process.argv.slice(2)
  const files = await open(where)
  say('ready')
  await new Promise((resolve) => process.stdin.once('data', resolve))
  await work(files, job as FilesJob)
  process.exit()
}

async function work(files: Files, job: FilesJob): Promise<void> {
  if (job[0] === 'edit') {
    const [first, step, end] = job.slice(1).map(Number) as [number, number, number]
    let landed = 0
    for (let i = first; i < end; i += step) {
      const edited = await files.edit(SHARED_PATH, lineOf(i), editedLineOf(i))
      if (edited.ok) landed++
    }
    say(String(landed))
  } else if (job[0] === 'claim') {
    const claimed = await files.edit(SHARED_PATH, 'free', `taken by ${job[1]}`)
    say(claimed.ok ? 'ok' : claimed.code)
  } else {
    for (let i = 0; ; i++) {
      say(String(i))
      await files.edit(SHARED_PATH, END, markOf(i) + END, { opId: markOpId(job[1], i) })
    }
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

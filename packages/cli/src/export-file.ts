import { open, rename, type FileHandle } from 'node:fs/promises'
import { CliError } from './cli-error.ts'
import { readLastLine } from './last-line.ts'

/** A file of lines that appears under its name only when it is complete. */
export interface ExportFile {
  /** The last line that an interrupted export left, where this one goes on from there. */
  readonly lastLine: string | undefined
  line(text: string): Promise<void>
  /** Flushes to the disk and gives the file its name, replacing one that had it. */
  complete(): Promise<void>
  /** Keeps what was written, so that a later export can go on from there. */
  suspend(): Promise<void>
}

const BUFFER_CHARACTERS = 65_536

/** Where an export that is not complete lies. */
export function partialPath(path: string): string {
  return `${path}.partial`
}

/** Begins the file of an export, or with `resume` goes on with the one that was interrupted, if there is one. */
export async function openExportFile(path: string, resume: boolean): Promise<ExportFile> {
  const partial = partialPath(path)
  const handle = await openPartial(partial, resume)
  let lastLine: string | undefined
  try {
    lastLine = resume ? await dropIncompleteLine(handle) : undefined
  } catch (error) {
    await handle.close()
    throw error
  }
  let buffer = ''
  let closed = false

  async function flush(): Promise<void> {
    const text = buffer
    buffer = ''
    await handle.appendFile(text)
  }

  return {
    lastLine,
    async line(text) {
      buffer += `${text}\n`
      if (buffer.length >= BUFFER_CHARACTERS) await flush()
    },
    async complete() {
      await flush()
      await handle.sync()
      closed = true
      await handle.close()
      await rename(partial, path)
    },
    async suspend() {
      if (closed) return
      closed = true
      await flush().finally(() => handle.close())
    },
  }
}

async function openPartial(partial: string, resume: boolean): Promise<FileHandle> {
  try {
    return await open(partial, resume ? 'a+' : 'ax')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'EEXIST') throw new CliError('failed', `${partial} cannot be written: ${message}`, { cause: error })
    throw new CliError(
      'failed',
      `${partial} is there: an export was interrupted, or is under way. Go on with it by adding --resume, or remove that file.`,
      { cause: error },
    )
  }
}

/** A line may have been cut where the export was interrupted: it is written again. */
async function dropIncompleteLine(handle: FileHandle): Promise<string | undefined> {
  const { size } = await handle.stat()
  const { line, end } = await readLastLine(handle, size)
  if (end < size) await handle.truncate(end)
  return line
}

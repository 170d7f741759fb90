import type { FileHandle } from 'node:fs/promises'

export interface LastLine {
  /** The last line that ends in a line feed, without it; left out where there is none. */
  line: string | undefined
  /** Where that line ends, in bytes: after its line feed. */
  end: number
}

const BLOCK_BYTES = 65_536
const LINE_FEED = 0x0a

/** Finds the last complete line of a file by reading it backwards, so at the cost of that line. */
export async function readLastLine(handle: FileHandle, sizeBytes: number): Promise<LastLine> {
  const last = await findBackwards(handle, sizeBytes)
  if (last === -1) return { line: undefined, end: 0 }
  const start = (await findBackwards(handle, last)) + 1
  const bytes = Buffer.alloc(last - start)
  await handle.read(bytes, 0, bytes.length, start)
  return { line: bytes.toString('utf8'), end: last + 1 }
}

/** The position of the last line feed before `end`; -1 where there is none. */
async function findBackwards(handle: FileHandle, end: number): Promise<number> {
  const block = Buffer.alloc(BLOCK_BYTES)
  for (let before = end; before > 0;) {
    const start = Math.max(0, before - BLOCK_BYTES)
    const { bytesRead } = await handle.read(block, 0, before - start, start)
    const found = block.subarray(0, bytesRead).lastIndexOf(LINE_FEED)
    if (found !== -1) return start + found
    before = start
  }
  return -1
}

import { constants } from 'node:fs'
import { access, open } from 'node:fs/promises'
import { parseStoreUri } from '@keepsake/core'
import type { Finding } from './examine.ts'
import { formatBytes } from './quantities.ts'

/** Where the header of a database says how it is written; 2 is write-ahead logging: https://sqlite.org/fileformat.html */
const WRITE_VERSION_OFFSET = 18
const WRITE_AHEAD_LOG = 2

/** What can be said of a database from its file. Other stores have none. */
export async function* examineSqliteFile(uri: string): AsyncGenerator<Finding> {
  const parsed = parseStoreUri(uri)
  if (parsed.kind !== 'file' || parsed.path === ':memory:') return
  const { path } = parsed
  const { bytes, writeVersion } = await readHeader(path)
  const size = `the file has ${formatBytes(bytes)}`
  if (writeVersion === WRITE_AHEAD_LOG) {
    yield { check: 'file', status: 'ok', message: `${size} and write-ahead logging is on` }
  } else {
    yield {
      check: 'file',
      status: 'warn',
      message: `${size} and write-ahead logging is off, so readers and writers wait for each other`,
      fix: "Leave the journal mode to Keepsake's store, or run PRAGMA journal_mode = WAL.",
    }
  }
  if (!(await isWritable(path))) {
    yield {
      check: 'file',
      status: 'warn',
      message: 'this user cannot write to the file',
      fix: `Allow it: chmod u+w ${path}`,
    }
  }
}

async function readHeader(path: string): Promise<{ bytes: number; writeVersion: number | undefined }> {
  await using file = await open(path, 'r')
  const header = new Uint8Array(WRITE_VERSION_OFFSET + 1)
  await file.read(header, 0, header.length, 0)
  return { bytes: (await file.stat()).size, writeVersion: header[WRITE_VERSION_OFFSET] }
}

async function isWritable(path: string): Promise<boolean> {
  return await access(path, constants.W_OK).then(
    () => true,
    () => false,
  )
}

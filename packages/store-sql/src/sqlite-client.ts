import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { KeepsakeError } from '@keepsake/core'
import { isBusy, toKeepsakeError } from './sqlite-errors.ts'
import { selectValue } from './sqlite-value.ts'

/** What an acknowledged write survives: `'power'` a power cut, `'process'` the end of the process, however it ends. */
export type Durability = 'power' | 'process'

/** Where a store's database comes from. */
export interface SqliteClient {
  /** The database, for messages. */
  readonly where: string
  /** Whether there is something to open; if not, opening creates it. */
  exists(): boolean
  open(): Promise<DatabaseSync>
  close(database: DatabaseSync): void
}

export const MEMORY = ':memory:'

const RETRY_MS = 10

/** A file (an absolute path, or `:memory:`) that the store opens and closes by itself. */
export function sqliteFile(path: string, durability: Durability, busyTimeoutMs: number): SqliteClient {
  return {
    where: path,
    exists: () => path === MEMORY || existsSync(path),
    async open() {
      const { DatabaseSync } = await loadNodeSqlite()
      if (path !== MEMORY) checkPath(path)
      let database: DatabaseSync | undefined
      try {
        database = new DatabaseSync(path)
        database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
        checkEncoding(database, path)
        await useWal(database, busyTimeoutMs)
        database.exec(SYNC[durability])
        return database
      } catch (error) {
        database?.close()
        throw toKeepsakeError(error, path)
      }
    },
    close: (database) => database.close(),
  }
}

/** A database that the application opened, set up and will close. */
export function givenDatabase(database: DatabaseSync): SqliteClient {
  const where = 'The database that was passed in'
  return {
    where,
    exists: () => true,
    async open() {
      checkEncoding(database, where)
      return database
    },
    close() {},
  }
}

// In WAL mode FULL syncs the log at every commit and NORMAL only at checkpoints: https://sqlite.org/pragma.html#pragma_synchronous
// fullfsync is for macOS, where an ordinary fsync leaves data in the drive's cache.
const SYNC: Readonly<Record<Durability, string>> = {
  power: 'PRAGMA synchronous = FULL; PRAGMA fullfsync = ON',
  process: 'PRAGMA synchronous = NORMAL',
}

async function loadNodeSqlite(): Promise<typeof import('node:sqlite')> {
  try {
    return await import('node:sqlite')
  } catch (cause) {
    throw new KeepsakeError('unsupported', 'This runtime has no node:sqlite; use Node 22.16 or newer.', { cause })
  }
}

/** SQLite says "unable to open database file" to all of these. */
function checkPath(path: string): void {
  const folder = dirname(path)
  if (!existsSync(folder)) {
    throw new KeepsakeError('invalid_value', `The folder of ${path} does not exist; create ${folder} first.`)
  }
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    throw new KeepsakeError('invalid_value', `${path} is a folder; name a file in it.`)
  }
}

/**
 * Refuses a database that keeps text in UTF-16, which only its creator can have chosen: SQLite compares the bytes of that
 * encoding, and the order of rows would not be that of UTF-8.
 */
function checkEncoding(database: DatabaseSync, where: string): void {
  const encoding = selectValue(database, 'PRAGMA encoding')
  if (encoding === 'UTF-8') return
  throw new KeepsakeError(
    'unsupported',
    `${where} keeps text in ${String(encoding)}, which orders keys differently than rows need; use a database with SQLite's default encoding, UTF-8.`,
  )
}

/**
 * Switches the file to write-ahead logging, in which readers and the writer do not wait for each other. The file keeps
 * the mode. SQLite does not wait for the lock that switching takes, so processes that open a new file together try again.
 */
async function useWal(database: DatabaseSync, busyTimeoutMs: number): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += RETRY_MS) {
    try {
      database.exec('PRAGMA journal_mode = WAL')
      return
    } catch (error) {
      if (!isBusy(error) || waitedMs >= busyTimeoutMs) throw error
    }
    await sleep(RETRY_MS)
  }
}

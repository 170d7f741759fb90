import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { KeepsakeError } from '@keepsake/core'
import { toKeepsakeError } from './sqlite-errors.ts'
import { whenUnlocked } from './sqlite-lock.ts'
import { selectValue } from './sqlite-value.ts'

/** What an acknowledged write survives: `'power'` a power cut, `'process'` the end of the process, however it ends. */
export type Durability = 'power' | 'process'

/** Where a store's database comes from. */
export interface SqliteClient {
  /** The database, for messages. */
  readonly where: string
  /** How long to wait for a lock, beyond what the connection does by itself. */
  readonly busyTimeoutMs: number
  /** Whether there is something to open; if not, opening creates it. */
  exists(): boolean
  open(): Promise<DatabaseSync>
  close(database: DatabaseSync): void
}

export const MEMORY = ':memory:'

/** A file (an absolute path, or `:memory:`) that the store opens and closes by itself. */
export function sqliteFile(path: string, durability: Durability, busyTimeoutMs: number): SqliteClient {
  return {
    where: path,
    busyTimeoutMs,
    exists: () => path === MEMORY || existsSync(path),
    async open() {
      const { DatabaseSync } = await loadNodeSqlite()
      if (path !== MEMORY) checkPath(path)
      let database: DatabaseSync | undefined
      try {
        const opened = new DatabaseSync(path)
        database = opened
        await whenUnlocked(() => setUp(opened, path, durability), busyTimeoutMs)
        return opened
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
    busyTimeoutMs: 0,
    exists: () => true,
    async open() {
      checkEncoding(database, where)
      return database
    },
    close() {},
  }
}

function setUp(database: DatabaseSync, path: string, durability: Durability): void {
  checkEncoding(database, path)
  // Write-ahead logging, in which readers and the writer do not wait for each other. The file keeps the mode.
  database.exec('PRAGMA journal_mode = WAL')
  database.exec(SYNC[durability])
}

// With WAL, FULL syncs the log at every commit and NORMAL only at checkpoints: https://sqlite.org/pragma.html#pragma_synchronous
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

import { defineStore, type RowStore } from '@keepsake/core'
import { copyIds, copyRange, copyWrites } from './row-copies.ts'
import { checkSqliteOptions, type SqliteStoreOptions } from './sqlite-options.ts'
import { sqliteLimits } from './sqlite-rows.ts'
import { sqliteSession } from './sqlite-session.ts'

/**
 * Rows in a SQLite database, by Node's own `node:sqlite` (Node 22.16 or newer). Throws `invalid_value` for options that
 * cannot be used; the file is opened, and Kysely loaded, when the store is first used.
 *
 * - Many processes on one machine may use one file. Writers wait for each other up to `busyTimeoutMs`, then a call
 *   rejects with `unavailable`, to be tried again; readers wait for nobody.
 * - An acknowledged write survives a power cut, or with `durability: 'process'` the end of the process.
 * - A call of several rows is one transaction. Nobody sees half of it, and a crash leaves none of it.
 * - SQLite runs in the calling thread: a call takes some microseconds per row, and waits for the disk at `'power'`.
 *
 * Rejects with `not_provisioned` where tables are missing or old, `invalid_value` for a path that is no database, and
 * `unavailable` for a file that cannot be read or written.
 */
export function sqliteStore(options: SqliteStoreOptions): RowStore {
  const session = sqliteSession(checkSqliteOptions(options))
  return defineStore({
    name: 'sqlite',
    limits: sqliteLimits,
    load: (ids, o) => session.onRows(o, ids, copyIds, (rows, own) => rows.load(own)),
    scan: (entity, range, o) => session.onRows(o, range, copyRange, (rows, own) => rows.scan(entity, own)),
    entities: (range, o) => session.onRows(o, range, copyRange, (rows, own) => rows.entities(own)),
    write: (writes, o) => session.onRows(o, writes, copyWrites, (rows, own) => rows.write(own)),
    remove: (ids, o) => session.onRows(o, ids, copyIds, (rows, own) => rows.remove(own)),
    removeEntity: (entity, o) => session.onRows(o, entity, String, (rows, own) => rows.removeEntity(own)),
    provision: (o) => session.provision(o),
    verify: (o) => session.verify(o),
    close: () => session.close(),
  })
}

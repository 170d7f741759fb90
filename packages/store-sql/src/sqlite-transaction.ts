import type { DatabaseSync } from 'node:sqlite'

/**
 * Does `work` whole or not at all. It takes the lock for writing at once, so it never has to give up halfway because
 * another connection wrote.
 */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  return within(database, 'BEGIN IMMEDIATE', work)
}

/** Does `work`, which only reads, on the database as it is at one moment. */
export function inSnapshot<T>(database: DatabaseSync, work: () => T): T {
  return within(database, 'BEGIN', work)
}

/** A transaction of the application (on a database that it passed in) is not ended: `work` becomes a part of it. */
function within<T>(database: DatabaseSync, begin: string, work: () => T): T {
  const nested = database.isTransaction
  database.exec(nested ? 'SAVEPOINT keepsake' : begin)
  try {
    const result = work()
    database.exec(nested ? 'RELEASE keepsake' : 'COMMIT')
    return result
  } catch (error) {
    rollBack(database, nested)
    throw error
  }
}

function rollBack(database: DatabaseSync, nested: boolean): void {
  try {
    database.exec(nested ? 'ROLLBACK TO keepsake; RELEASE keepsake' : 'ROLLBACK')
  } catch {
    // SQLite has already done so by itself, as it does when the disk is full. The first error is the one that says why.
  }
}

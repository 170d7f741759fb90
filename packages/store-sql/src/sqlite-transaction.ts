import type { DatabaseSync } from 'node:sqlite'

/**
 * Does `work` whole or not at all. It takes the lock for writing at once, so it never has to give up halfway because
 * another process wrote. Within a transaction of the application (only on a database that it passed in) it is a part of
 * that one and lasts if that one does.
 */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  const nested = database.isTransaction
  database.exec(nested ? 'SAVEPOINT keepsake' : 'BEGIN IMMEDIATE')
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

import type { MysqlOutcome } from './mysql-client.ts'

/**
 * What the answer to `INSERT … ON DUPLICATE KEY UPDATE` says of each of its rows. A row that was inserted counts 1 and
 * one that was changed 2. One that was not changed, because it is stale or the same as before, counts 0; or 1 where the
 * client asked for the rows that were found instead (`CLIENT_FOUND_ROWS`), which is not the same as inserted.
 * https://dev.mysql.com/doc/c-api/8.4/en/mysql-affected-rows.html
 *
 * So it is enough to know that all were inserted or changed. Else nothing is said of any row: `undefined`.
 */
export function toldOfInsert(rows: number, outcome: MysqlOutcome, countsChanges: boolean): (true | undefined)[] {
  return Array.from({ length: rows }, () => (allApplied(rows, outcome, countsChanges) ? true : undefined))
}

function allApplied(rows: number, { affectedRows, info }: MysqlOutcome, countsChanges: boolean): boolean {
  if (affectedRows === 2 * rows) return true
  if (!countsChanges) return false
  if (rows === 1) return affectedRows === 1
  // Records: 3  Duplicates: 1  Warnings: 0. Duplicates are the rows that were changed, which count twice.
  const [, changed] = info.match(/\d+/g) ?? []
  return changed !== undefined && affectedRows - Number(changed) === rows
}

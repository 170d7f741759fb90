import type { DatabaseSync, SQLInputValue } from 'node:sqlite'

/** The first column of the first row, whatever the database's own settings for results are. */
export function selectValue(database: DatabaseSync, sql: string, ...values: SQLInputValue[]): unknown {
  const statement = database.prepare(sql)
  statement.setReturnArrays(true)
  statement.setReadBigInts(false)
  const row = statement.get(...values) as unknown as unknown[] | undefined
  return row?.[0]
}

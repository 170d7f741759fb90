import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { sqliteQueries } from '../src/dialects.ts'
import { sqliteMigrations } from '../src/sqlite-migrations.ts'
import { sqliteStatements } from '../src/sqlite-statements.ts'

const statements = sqliteStatements(await sqliteQueries(), 'my_rows')

test('a guard is a condition of the statement that writes', () => {
  const values =
    'insert into "my_rows" ("entity_key", "key", "seq", "rec", "updated_at_ms", "expires_at_ms") values (?, ?, ?, ?, ?, ?)'
  const replace =
    'on conflict ("entity_key", "key") do update set "seq" = "excluded"."seq", "rec" = "excluded"."rec", "updated_at_ms" = "excluded"."updated_at_ms", "expires_at_ms" = "excluded"."expires_at_ms"'
  expect(statements.writeNewer).toEqual({
    sql: `${values} ${replace} where "my_rows"."seq" <= "excluded"."seq"`,
    slots: ['entity', 'key', 'seq', 'rec', 'updatedAtMs', 'expiresAtMs'],
  })
  expect(statements.writeAbsent).toEqual({
    sql: `${values} ${replace} where "my_rows"."seq" = "excluded"."seq" and "my_rows"."rec" = "excluded"."rec"`,
    slots: ['entity', 'key', 'seq', 'rec', 'updatedAtMs', 'expiresAtMs'],
  })
  expect(statements.writeExpected).toEqual({
    sql: 'update "my_rows" set "seq" = ?, "rec" = ?, "updated_at_ms" = ?, "expires_at_ms" = ? where "entity_key" = ? and "key" = ? and ("seq" = ? or ("seq" = ? and "rec" = ?))',
    slots: ['seq', 'rec', 'updatedAtMs', 'expiresAtMs', 'entity', 'key', 'expectedSeq', 'seq', 'rec'],
  })
})

test.each(
  Object.entries(statements).filter(([name]) => !name.startsWith('writeNewer') && !name.startsWith('writeAbsent')),
)('%s finds its rows by the primary key, in its order', (_, { sql, slots }) => {
  using database = new DatabaseSync(':memory:')
  for (const statement of sqliteMigrations('my_rows').flatMap(({ up }) => up)) database.exec(statement)
  const plan = database.prepare(`explain query plan ${sql}`).all(...slots.map(() => 1))
  expect(plan.map(({ detail }) => detail)).toEqual([
    expect.stringMatching(/^SEARCH my_rows USING (COVERING )?INDEX sqlite_autoindex_my_rows_1 \(entity_key[=>]/),
  ])
})

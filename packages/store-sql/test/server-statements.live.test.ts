import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mysqlQueries, postgresQueries } from '../src/dialects.ts'
import { mysqlStatements } from '../src/mysql-statements.ts'
import { postgresStatements } from '../src/postgres-statements.ts'
import { liveDatabases } from './live-database.ts'
import { row } from './rows.ts'

const postgres = await postgresStatements(await postgresQueries(), 'keepsake_rows', undefined)
const mysql = await mysqlStatements(await mysqlQueries(), 'keepsake_rows')

// Who finds rows in another way reads the whole table.
describe.each(await liveDatabases())('$name finds rows by the primary key, in its order', (database) => {
  beforeAll(async () => {
    await database.create()
    await using store = database.open()
    await store.provision()
    // A table of one page would be read as a whole.
    for (const entity of ['a', 'b', 'c']) {
      await store.write([
        row({ entity, key: 'a' }),
        ...Array.from({ length: 999 }, (_, i) => row({ entity, key: `${i}` })),
      ])
    }
    await database.run(database.name === 'postgres' ? 'ANALYZE keepsake_rows' : 'ANALYZE TABLE keepsake_rows')
  })
  afterAll(() => database[Symbol.asyncDispose]())

  if (database.name === 'postgres') {
    test.each(Object.entries(postgres))('%s', async (name, { sql }) => {
      await database.run(`SET plan_cache_mode = force_generic_plan`)
      await database.run(`PREPARE statement_${name} AS ${sql}`)
      const nulls = Array.from(sql.matchAll(/\$\d+/g), () => 'NULL').join()
      const plan = (await database.run(`EXPLAIN EXECUTE statement_${name} (${nulls})`)).flat().join('\n')
      expect(plan).not.toContain('Seq Scan on')
      if (!plan.startsWith('Insert')) expect(plan).toMatch(/Index (Only )?Scan using keepsake_rows_pkey/)
      // Rows that are locked first are sorted for it.
      if (name !== 'writeExpectedMany') expect(plan).not.toContain('Sort')
    })
  } else {
    const { loadMany, loadMixed, loadLocked, removeMany } = mysql
    const many = Object.entries({ loadMany, loadMixed, loadLocked, removeMany }).map(
      ([name, sized]) => [name, sized(3)] as const,
    )
    const single = Object.entries(mysql).flatMap(([name, s]) => ('sql' in s ? [[name, s.sql] as const] : []))
    test.each([...single, ...many])('%s', async (_, sql) => {
      // Names of rows that exist: where there can be none, nothing is looked for.
      const filled = sql.replaceAll('limit ?', 'limit 10').replaceAll('< ?', `< 'b'`).replaceAll('?', `'a'`)
      const [plan] = await database.run(`EXPLAIN ${filled}`)
      const [, , , type, , key, , , , extra = ''] = plan as string[]
      expect([key, type]).toEqual(['PRIMARY', expect.stringMatching(/^(range|const|ref)$/)])
      expect(extra).not.toContain('filesort')
    })
  }
})

test('a guard is a condition of the statement that writes', async () => {
  const agents = await postgresStatements(await postgresQueries(), 'my_rows', 'Agents')
  expect(agents.writeNewer.sql).toBe(
    'insert into "Agents"."my_rows" ("entity_key", "key", "seq", "rec", "updated_at_ms", "expires_at_ms") values ($1, $2, $3, $4, $5, $6) on conflict ("entity_key", "key") do update set "seq" = "excluded"."seq", "rec" = "excluded"."rec", "updated_at_ms" = "excluded"."updated_at_ms", "expires_at_ms" = "excluded"."expires_at_ms" where "Agents"."my_rows"."seq" <= "excluded"."seq"',
  )
  expect(mysql.writeNewer(2)).toBe(
    'insert into `keepsake_rows` (`entity_key`, `key`, `seq`, `rec`, `updated_at_ms`, `expires_at_ms`) values (?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?) on duplicate key update `rec` = if(values(`seq`) >= `seq`, values(`rec`), `rec`), `updated_at_ms` = if(values(`seq`) >= `seq`, values(`updated_at_ms`), `updated_at_ms`), `expires_at_ms` = if(values(`seq`) >= `seq`, values(`expires_at_ms`), `expires_at_ms`), `seq` = greatest(values(`seq`), `seq`)',
  )
  // Each row's parameters are those of `row`, in that order.
  expect(mysql.row).toEqual(['entity', 'key', 'seq', 'rec', 'updatedAtMs', 'expiresAtMs'])
  for (const expected of [postgres.writeExpected.sql, mysql.writeExpected.sql]) expect(expected).toMatch(/^update /)
})

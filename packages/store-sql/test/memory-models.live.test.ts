import { testMemoryModels } from '@keepsake/store-testing'
import { afterAll, describe } from 'vitest'
import { liveDatabases } from './live-database.ts'

const SCHEMA = { postgres: 'current_schema()', mysql: 'database()' }

for (const database of await liveDatabases()) {
  describe(database.name, () => {
    afterAll(() => database[Symbol.asyncDispose]())
    testMemoryModels(
      'chat memory and records',
      async () => {
        await database.create()
        return database.open()
      },
      {
        /** All columns of all tables. */
        async everything() {
          const { name } = database
          const tables = await database.run(
            `SELECT table_name FROM information_schema.tables WHERE table_schema = ${SCHEMA[name]}`,
          )
          const rows = await Promise.all(tables.map(([table]) => database.run(`SELECT * FROM ${String(table)}`)))
          return rows.flat(2).map(textOf).join('\n')
        },
      },
    )
  })
}

function textOf(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString('latin1') : String(value)
}

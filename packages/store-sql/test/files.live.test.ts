import { rowFiles } from '@keepsake/files'
import { testFiles, testFilesProcesses } from '@keepsake/store-testing'
import { afterAll, beforeAll } from 'vitest'
import { sqliteStore } from '../src/sqlite-store.ts'
import { liveDatabases } from './live-database.ts'
import { tempFolder } from './temp-folder.ts'

const program = new URL('programs/edit-files.ts', import.meta.url)

testFilesProcesses('rowFiles in SQLite', {
  program,
  async open() {
    const where = `${tempFolder()}/files.db`
    const store = sqliteStore({ path: where })
    await store.provision()
    return { files: rowFiles(store, 'ada'), where, close: () => store.close() }
  },
})

for (const database of await liveDatabases()) {
  let owners = 0
  const opened: ReturnType<typeof database.open>[] = []
  const open = () => {
    const store = database.open()
    opened.push(store)
    return store
  }
  beforeAll(async () => {
    await database.create()
    await open().provision()
    open()
  })
  afterAll(async () => {
    for (const store of opened) await store.close()
    await database[Symbol.asyncDispose]()
  })

  testFiles(`rowFiles in ${database.name}, by two pools`, () => {
    const owner = ['files', String(owners++)]
    return { files: rowFiles(opened[0]!, owner), again: rowFiles(opened[1]!, owner) }
  })

  testFilesProcesses(`rowFiles in ${database.name}`, {
    program,
    async open() {
      const owner = `processes ${owners++}`
      return { files: rowFiles(opened[0]!, owner), where: `${database.url} ${owner}` }
    },
  })
}

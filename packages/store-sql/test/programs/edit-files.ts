// node edit-files.ts WHERE …: a process of `testFilesProcesses`. WHERE is the path of a database, or a URL and an owner.
import { rowFiles } from '@keepsake/files'
import { runFilesProgram } from '@keepsake/store-testing/files-program'
import { mysqlStore } from '../../src/mysql.ts'
import { postgresStore } from '../../src/postgres.ts'
import { sqliteStore } from '../../src/sqlite.ts'

await runFilesProgram((where) => {
  const [, url = '', owner = ''] = /^(\S+:\S+) (.*)$/.exec(where) ?? []
  if (url.startsWith('postgres')) return rowFiles(postgresStore({ url, maxConnections: 1 }), owner)
  if (url.startsWith('mysql')) return rowFiles(mysqlStore({ url, maxConnections: 1 }), owner)
  return rowFiles(sqliteStore({ path: where }), 'ada')
})

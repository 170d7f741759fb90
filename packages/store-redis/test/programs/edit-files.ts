// node edit-files.ts "URL PREFIX OWNER" …: a process of `testFilesProcesses`.
import { rowFiles } from '@keepsake/files'
import { runFilesProgram } from '@keepsake/store-testing/files-program'
import { redisStore } from '../../src/index.ts'

await runFilesProgram((where) => {
  const [url = '', prefix = '', ...owner] = where.split(' ')
  return rowFiles(redisStore({ url, prefix }), owner.join(' '))
})

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { localFiles } from '@keepsake/files/local'
import { testFilesProcesses } from '../src/index.ts'

testFilesProcesses('localFiles', {
  program: new URL('programs/local-files.ts', import.meta.url),
  async open() {
    const where = mkdtempSync(join(tmpdir(), 'keepsake-files-'))
    return { files: localFiles({ root: where }), where, close: async () => rmSync(where, { recursive: true }) }
  },
})

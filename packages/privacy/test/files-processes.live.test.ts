import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { localFiles } from '@keepsake/files/local'
import { testFilesProcesses } from '@keepsake/store-testing'
import { encryptedFiles } from '../src/files/index.ts'
import { fixedKeys } from './fixed-keys.ts'

testFilesProcesses('encryptedFiles on a disk', {
  program: new URL('programs/encrypted-files.ts', import.meta.url),
  async open() {
    const where = mkdtempSync(join(tmpdir(), 'keepsake-privacy-'))
    const files = encryptedFiles(localFiles({ root: join(where, 'files') }), { keys: fixedKeys(), subject: 'ada' })
    return { files, where, close: async () => rmSync(where, { recursive: true, force: true }) }
  },
})

import { join } from 'node:path'
import { localFiles } from '@keepsake/files/local'
import { runFilesProgram } from '@keepsake/store-testing/files-program'
import { encryptedFiles } from '../../src/files/index.ts'
import { fixedKeys } from '../fixed-keys.ts'

await runFilesProgram(async (where) =>
  encryptedFiles(localFiles({ root: join(where, 'files') }), { keys: fixedKeys(), subject: 'ada' }),
)

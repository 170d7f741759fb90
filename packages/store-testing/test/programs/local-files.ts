import { localFiles } from '@keepsake/files/local'
import { runFilesProgram } from '../../src/files-program.ts'

await runFilesProgram((where) => localFiles({ root: where }))

import { runFilesProgram } from '@keepsake/store-testing/files-program'
import { s3Files } from '../../src/index.ts'
import { BUCKET, clientOf } from '../client.ts'

await runFilesProgram((where) => {
  const [endpoint = '', prefix = ''] = where.split(' ')
  return s3Files({ bucket: BUCKET, prefix, client: clientOf({ endpoint }), conditionalWrites: true })
})

import { testFilesProcesses } from '@keepsake/store-testing'
import { s3Files } from '../src/index.ts'
import { BUCKET } from './client.ts'
import { server } from './server.ts'

const s3 = await server()
let opened = 0

testFilesProcesses('s3Files', {
  program: new URL('programs/s3-files.ts', import.meta.url),
  async open() {
    const prefix = `processes/${opened++}`
    const files = await s3Files({ bucket: BUCKET, prefix, client: s3.client, conditionalWrites: true })
    return { files, where: `${s3.endpoint} ${prefix}` }
  },
})

import { testFiles } from '@keepsake/store-testing'
import { s3Files } from '../src/index.ts'
import { BUCKET, clientOf } from './client.ts'
import { server } from './server.ts'

const s3 = await server()
const again = clientOf(s3)
let opened = 0

testFiles('s3Files', async () => {
  const prefix = `cases/${opened++}`
  const options = { bucket: BUCKET, prefix, conditionalWrites: true }
  return {
    files: await s3Files({ ...options, client: s3.client }),
    again: await s3Files({ ...options, client: again }),
  }
})

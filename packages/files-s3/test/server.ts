import type { S3Client } from '@aws-sdk/client-s3'
import { startS3, type S3Server, type S3ServerOptions } from '@keepsake/services'
import { afterAll } from 'vitest'
import { BUCKET, clientOf } from './client.ts'

/** A server for the tests of a file. */
export async function server(
  conditions: S3ServerOptions['conditions'] = 'all',
): Promise<S3Server & { client: S3Client }> {
  const started = await startS3({ conditions, buckets: [BUCKET] })
  const client = clientOf(started)
  afterAll(async () => {
    client.destroy()
    await started.stop()
  })
  return { ...started, client }
}

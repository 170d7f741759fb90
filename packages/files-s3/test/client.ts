import { S3Client } from '@aws-sdk/client-s3'

export const BUCKET = 'keepsake'

/** A client as a user would make it for a server of their own. */
export function clientOf({ endpoint }: { endpoint: string }): S3Client {
  return new S3Client({
    endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
  })
}

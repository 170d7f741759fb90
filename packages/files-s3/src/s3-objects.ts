import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { throwIfAborted, type CallOptions } from '@keepsake/core'
import { explain, statusOf } from './s3-errors.ts'

/** What is known of an object without its body. */
export interface S3Head {
  /** With the quotes that it is sent in. */
  etag: string
  metadata: Readonly<Record<string, string>>
  sizeBytes: number
  updatedAtMs: number
}

/** What a write is told of the object that it expects. */
export interface S3Condition {
  /** Only over the object with this ETag. */
  ifMatch?: string
  /** Only where there is none. */
  ifNoneMatch?: '*'
}

export interface S3Listed {
  key: string
  /** Left out for what stands for all that begins with the key. */
  sizeBytes?: number
  updatedAtMs?: number
}

/** The calls that files need, of one bucket. */
export interface S3Objects {
  /** `undefined`: there is none. */
  head(key: string, options: CallOptions): Promise<S3Head | undefined>
  /** The body, unless it has more than `maxBytes`: then `undefined`. */
  get(key: string, maxBytes: number, options: CallOptions): Promise<(S3Head & { bytes?: Uint8Array }) | undefined>
  /** The new ETag; `undefined` where the condition did not hold. */
  put(
    key: string,
    bytes: Uint8Array,
    metadata: Record<string, string>,
    condition: S3Condition,
    options: CallOptions,
  ): Promise<string | undefined>
  /** Whether the condition held. */
  delete(key: string, condition: S3Condition, options: CallOptions): Promise<boolean>
  /** Everything whose key begins with `prefix`; with `delimiter`, what goes on after it is one entry. */
  list(prefix: string, options: CallOptions & { delimiter?: string; limit?: number }): AsyncIterable<S3Listed>
}

export function s3Objects(client: S3Client, bucket: string): S3Objects {
  /** `send`, with what went wrong as an error of ours; `undefined` where `isAnswer` takes the status for an answer. */
  async function ask<T>(
    what: string,
    { signal }: CallOptions,
    call: (options: { abortSignal?: AbortSignal }) => Promise<T>,
    isAnswer: (status: number) => boolean = () => false,
  ): Promise<T | undefined> {
    throwIfAborted(signal)
    try {
      return await call(signal === undefined ? {} : { abortSignal: signal })
    } catch (error) {
      throwIfAborted(signal)
      if (isAnswer(statusOf(error)) && (error as Error).name !== 'NoSuchBucket') return undefined
      throw explain(error, what, bucket)
    }
  }

  return {
    async head(key, options) {
      const Key = { Bucket: bucket, Key: key }
      const found = await ask('Reading a file', options, (o) => client.send(new HeadObjectCommand(Key), o), isMissing)
      return found && toHead(found)
    },

    async get(key, maxBytes, options) {
      const Key = { Bucket: bucket, Key: key }
      const read = async (o: { abortSignal?: AbortSignal }) => {
        const found = await client.send(new GetObjectCommand(Key), o)
        const head = toHead(found)
        // The rest of a body that nobody wants must not keep its connection.
        if (head.sizeBytes > maxBytes) await found.Body?.transformToWebStream().cancel()
        return head.sizeBytes > maxBytes ? head : { ...head, bytes: await found.Body!.transformToByteArray() }
      }
      return ask('Reading a file', options, read, isMissing)
    },

    async put(key, bytes, metadata, { ifMatch, ifNoneMatch }, options) {
      const command = new PutObjectCommand({
        Bucket: bucket,
        Key: key,
        Body: bytes,
        ContentLength: bytes.length,
        Metadata: metadata,
        ...(ifMatch !== undefined && { IfMatch: ifMatch }),
        ...(ifNoneMatch !== undefined && { IfNoneMatch: ifNoneMatch }),
      })
      const isLost = (status: number): boolean => isLostRace(status) || (ifMatch !== undefined && isMissing(status))
      const made = await ask('Writing a file', options, (o) => client.send(command, o), isLost)
      return made?.ETag
    },

    async delete(key, { ifMatch }, options) {
      const command = new DeleteObjectCommand({
        Bucket: bucket,
        Key: key,
        ...(ifMatch !== undefined && { IfMatch: ifMatch }),
      })
      const deleted = await ask(
        'Deleting a file',
        options,
        (o) => client.send(command, o),
        (status) => isLostRace(status) || isMissing(status),
      )
      return deleted !== undefined
    },

    async *list(prefix, { delimiter, limit, ...options }) {
      for (let token: string | undefined; ;) {
        const command = new ListObjectsV2Command({
          Bucket: bucket,
          Prefix: prefix,
          // XML cannot hold every character that a key may have.
          EncodingType: 'url',
          ...(delimiter !== undefined && { Delimiter: delimiter }),
          ...(limit !== undefined && { MaxKeys: limit }),
          ...(token !== undefined && { ContinuationToken: token }),
        })
        const page = (await ask('Listing files', options, (o) => client.send(command, o)))!
        const decode = (key: string): string =>
          page.EncodingType === 'url' ? decodeURIComponent(key.replaceAll('+', '%20')) : key
        for (const { Prefix } of page.CommonPrefixes ?? []) yield { key: decode(Prefix!) }
        for (const { Key, Size, LastModified } of page.Contents ?? []) {
          yield { key: decode(Key!), sizeBytes: Size ?? 0, updatedAtMs: LastModified?.getTime() ?? 0 }
        }
        token = page.NextContinuationToken
        if (token === undefined || limit !== undefined) return
      }
    },
  }
}

const isMissing = (status: number): boolean => status === 404
/** 412: the condition does not hold; 409: another write of the same object was under way. */
const isLostRace = (status: number): boolean => status === 412 || status === 409

interface Described {
  ETag?: string | undefined
  Metadata?: Record<string, string> | undefined
  ContentLength?: number | undefined
  LastModified?: Date | undefined
}

function toHead({ ETag, Metadata, ContentLength, LastModified }: Described): S3Head {
  return {
    etag: ETag!,
    metadata: Metadata ?? {},
    sizeBytes: ContentLength ?? 0,
    updatedAtMs: LastModified?.getTime() ?? 0,
  }
}

import type { AddressInfo } from 'node:net'
import type { buildApp } from 'fauxqs'

/** An S3 server in this process: everything is in memory. */
export interface S3Server {
  /** Any credentials and any region will do. */
  endpoint: string
  stop(): Promise<void>
}

export interface S3ServerOptions {
  /** Which conditions of writes it keeps. Default: those of puts and deletes, as AWS does. */
  conditions?: 'all' | 'puts' | 'none'
  buckets: readonly string[]
}

/** What is used of the store of `fauxqs`, which its package does not name among its exports. */
interface ObjectStore {
  createBucket(name: string): unknown
  headObject(bucket: string, key: string): { etag: string }
}

/**
 * Starts `fauxqs`, with conditions of writes before it: by itself it ignores them. Its handlers of PUT and DELETE are
 * synchronous, and so is the look at the object before them, so both are one turn of the event loop and no other request
 * comes between.
 */
export async function startS3({ conditions = 'all', buckets }: S3ServerOptions): Promise<S3Server> {
  const main = import.meta.resolve('fauxqs')
  const fauxqs = (await import(main)) as { buildApp: typeof buildApp }
  const { S3Store } = (await import(new URL('s3/s3Store.js', main).href)) as { S3Store: new () => ObjectStore }
  const store = new S3Store()
  for (const bucket of buckets) store.createBucket(bucket)
  const app = fauxqs.buildApp({ logger: false, stores: { s3Store: store } as never })
  const kept: readonly string[] = { all: ['PUT', 'DELETE'], puts: ['PUT'], none: [] }[conditions]

  app.addHook('preHandler', (request, reply, done) => {
    const { bucket = '', '*': key } = request.params as { bucket?: string; '*'?: string }
    const { 'if-match': match, 'if-none-match': noneMatch } = request.headers
    const isConditional = match !== undefined || noneMatch !== undefined
    if (!isConditional || key === undefined || key === '' || !kept.includes(request.method)) return done()
    const refusal = refusalOf(etagOf(store, bucket, key), match, noneMatch)
    if (refusal === undefined) return done()
    const [status, code] = refusal
    void reply
      .code(status)
      .type('application/xml')
      .send(`<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`)
  })

  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  return {
    endpoint: `http://127.0.0.1:${port}`,
    async stop() {
      // Clients keep connections; the tests are over.
      app.server.closeAllConnections()
      await app.close()
    },
  }
}

function etagOf(store: ObjectStore, bucket: string, key: string): string | undefined {
  try {
    return store.headObject(bucket, key).etag
  } catch {
    return undefined
  }
}

/** As AWS answers: a write that names an ETag of nothing finds no key. */
function refusalOf(
  etag: string | undefined,
  match: string | undefined,
  noneMatch: string | undefined,
): [status: number, code: string] | undefined {
  if (noneMatch !== undefined && noneMatch !== '*') return [501, 'NotImplemented']
  if (noneMatch === '*' && etag !== undefined) return [412, 'PreconditionFailed']
  if (match === undefined) return undefined
  if (etag === undefined) return [404, 'NoSuchKey']
  return match === '*' || bare(match) === bare(etag) ? undefined : [412, 'PreconditionFailed']
}

const bare = (etag: string): string => etag.replaceAll('"', '')

import {
  Server,
  ServerCredentials,
  type sendUnaryData,
  type ServerUnaryCall,
  type ServerWritableStream,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js'
import { documentMap, type StoredDocument } from './document-map.ts'
import { firestoreService, toTimestamp, type StructuredQuery, type Write } from './protocol.ts'
import { findDocuments, project } from './structured-query.ts'
import { transactions } from './transactions.ts'

/** A request is at most so large: https://cloud.google.com/firestore/quotas */
const MAX_REQUEST_BYTES = 10 * 1024 * 1024

interface ReadRequest {
  transaction?: Buffer
  newTransaction?: object
}

interface BatchGetRequest extends ReadRequest {
  documents: string[]
  mask?: { fieldPaths: string[] }
}

interface QueryRequest extends ReadRequest {
  parent: string
  structuredQuery: StructuredQuery
}

/**
 * As much of Firestore as `@keepsake/store-firestore` asks for, in this process's memory, where Google's emulator is not to
 * be had: reads by name, queries of one collection in the order of a text, commits with preconditions, and transactions.
 * Each is isolated as in Firestore. It answers UNIMPLEMENTED to the rest.
 */
export async function startLocalFirestore(port: number): Promise<{ port: number; stop(): Promise<void> }> {
  const server = new Server({ 'grpc.max_receive_message_length': MAX_REQUEST_BYTES })
  server.addService(firestoreService(), handlers())
  const bound = await new Promise<number>((resolve, reject) => {
    const credentials = ServerCredentials.createInsecure()
    server.bindAsync(`127.0.0.1:${port}`, credentials, (error, at) => (error ? reject(error) : resolve(at)))
  })
  return {
    port: bound,
    async stop() {
      server.forceShutdown()
    },
  }
}

function handlers(): UntypedServiceImplementation {
  const documents = documentMap()
  const open = transactions()

  /** The transaction that a read belongs to; a new one is told to the caller first. */
  function transactionOf({ transaction, newTransaction }: ReadRequest, tell: (id: Buffer) => void): Buffer | undefined {
    if (newTransaction === undefined) return transaction
    const id = open.begin()
    tell(id)
    return id
  }

  return {
    BatchGetDocuments: streaming<BatchGetRequest>((request, write) => {
      const id = transactionOf(request, (transaction) => write({ transaction }))
      const readTime = toTimestamp(BigInt(Date.now()) * 1000n)
      for (const name of request.documents) {
        open.remember(id, () => versionOf(documents.get(name)))
        const found = documents.get(name)
        if (found === undefined) write({ missing: name, readTime })
        else write({ found: toMessage(project(found, request.mask?.fieldPaths)), readTime })
      }
    }),

    RunQuery: streaming<QueryRequest>((request, write) => {
      const id = transactionOf(request, (transaction) => write({ transaction }))
      const readTime = toTimestamp(BigInt(Date.now()) * 1000n)
      const find = (): StoredDocument[] => findDocuments(documents, request.parent, request.structuredQuery)
      open.remember(id, () => find().map(versionOf).join('\n'))
      const fields = request.structuredQuery.select?.fields.map(({ fieldPath }) => fieldPath)
      for (const found of find()) write({ document: toMessage(project(found, fields)), readTime })
      write({ readTime })
    }),

    BeginTransaction: unary(() => ({ transaction: open.begin() })),

    Rollback: unary<{ transaction: Buffer }>(({ transaction }) => {
      open.forget(transaction)
      return {}
    }),

    Commit: unary<{ writes: Write[]; transaction?: Buffer }>(({ writes, transaction }) => {
      if (transaction !== undefined) open.finish(transaction)
      const { time, updateTimes } = documents.commit(writes)
      return {
        commitTime: toTimestamp(time),
        writeResults: updateTimes.map((updateTime) => ({ updateTime: toTimestamp(updateTime) })),
      }
    }),
  }
}

/** A method with one answer, given or thrown. */
function unary<Request>(answer: (request: Request) => object) {
  return ({ request }: ServerUnaryCall<Request, object>, done: sendUnaryData<object>): void => {
    try {
      done(null, answer(request))
    } catch (error) {
      done(error as Error)
    }
  }
}

/** A method that writes any number of answers. */
function streaming<Request>(answer: (request: Request, write: (message: object) => void) => void) {
  return (call: ServerWritableStream<Request, object>): void => {
    try {
      answer(call.request, (message) => call.write(message))
      call.end()
    } catch (error) {
      call.emit('error', error)
    }
  }
}

function toMessage({ name, fields, createTime, updateTime }: StoredDocument): object {
  return { name, fields, createTime: toTimestamp(createTime), updateTime: toTimestamp(updateTime) }
}

function versionOf(document: StoredDocument | undefined): string {
  return document === undefined ? '' : `${document.name} ${document.updateTime}`
}

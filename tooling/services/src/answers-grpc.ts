import { once } from 'node:events'
import { connect, constants } from 'node:http2'

const UNIMPLEMENTED = '12'
const EMPTY_MESSAGE = Buffer.alloc(5)

/**
 * Whether somebody on a port of this machine speaks gRPC and knows a method. It is called with an empty message
 * (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md).
 */
export async function answersGrpc(port: number, method: string): Promise<boolean> {
  const session = connect(`http://127.0.0.1:${port}`)
  session.on('error', () => {})
  try {
    const request = session.request({
      [constants.HTTP2_HEADER_METHOD]: 'POST',
      [constants.HTTP2_HEADER_PATH]: method,
      'content-type': 'application/grpc',
      te: 'trailers',
    })
    request.on('error', () => {})
    let status: unknown
    let isGrpc = false
    request.on('response', (headers) => {
      isGrpc = String(headers['content-type']).startsWith('application/grpc')
      status = headers['grpc-status']
    })
    request.on('trailers', (trailers) => (status ??= trailers['grpc-status']))
    request.resume().end(EMPTY_MESSAGE)
    await once(request, 'close', { signal: AbortSignal.timeout(3000) })
    return isGrpc && status !== undefined && status !== UNIMPLEMENTED
  } catch {
    return false
  } finally {
    session.destroy()
  }
}

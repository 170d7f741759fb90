import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** Stands between a store and a server, so that the connection can break as networks and restarts break it. */
export interface Proxy extends AsyncDisposable {
  /** The server's address by way of the proxy. */
  readonly url: string
  /** Breaks every connection, in the middle of whatever is under way. */
  cut(): void
  /** Breaks every connection and takes no new ones. */
  stop(): Promise<void>
  /** Takes connections again. */
  start(): Promise<void>
}

export async function proxyTo(serverUrl: string): Promise<Proxy> {
  const target = new URL(serverUrl)
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.pipe(other)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
  })
  let port = 0

  function cut(): void {
    for (const socket of sockets) socket.resetAndDestroy()
  }

  async function start(): Promise<void> {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    ;({ port } = server.address() as AddressInfo)
  }

  async function stop(): Promise<void> {
    const closed = once(server, 'close')
    server.close()
    cut()
    await closed
  }

  await start()
  const url = new URL(serverUrl)
  url.host = `127.0.0.1:${port}`
  return {
    url: url.href,
    cut,
    stop,
    start,
    async [Symbol.asyncDispose]() {
      if (server.listening) await stop()
    },
  }
}

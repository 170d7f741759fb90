import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A way to a server that does what networks do. */
export interface Proxy extends AsyncDisposable {
  readonly url: string
  /** Where new connections lead. */
  target: number
  /** Connections that are open now carry nothing any more, and stay open. */
  hang(): void
  /** Cuts the connection when the next `n`th answer is about to get through. */
  cutBeforeAnswer(n: number): void
  /** What clients send from now on is kept, until it is taken. */
  record(): () => Buffer
}

export async function proxyTo(port: number): Promise<Proxy> {
  let connections: { client: Socket; upstream: Socket; hangs: boolean }[] = []
  let answersUntilCut = Infinity
  let recorded: Buffer[] | undefined

  // Half of a connection that hangs may be closed, and nobody hears of it.
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const connection = { client, upstream: connect(proxy.target, '127.0.0.1'), hangs: false }
    const { upstream } = connection
    connections.push(connection)
    const end = (): void => {
      client.destroy()
      upstream.destroy()
      connections = connections.filter((open) => open !== connection)
    }
    for (const socket of [client, upstream]) {
      const endIfHeard = (): void => {
        if (!connection.hangs) end()
      }
      socket.on('error', endIfHeard).on('end', endIfHeard).on('close', endIfHeard)
    }
    client.on('data', (data) => {
      recorded?.push(data)
      if (!connection.hangs) upstream.write(data)
    })
    upstream.on('data', (data) => {
      if (connection.hangs) return
      if (--answersUntilCut > 0) client.write(data)
      else {
        answersUntilCut = Infinity
        end()
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  const proxy: Proxy = {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    target: port,
    hang() {
      for (const connection of connections) connection.hangs = true
    },
    cutBeforeAnswer(n) {
      answersUntilCut = n
    },
    record() {
      recorded = []
      return () => {
        const taken = Buffer.concat(recorded!)
        recorded = undefined
        return taken
      }
    },
    async [Symbol.asyncDispose]() {
      for (const { client, upstream } of connections) {
        client.destroy()
        upstream.destroy()
      }
      server.close()
      await once(server, 'close')
    },
  }
  return proxy
}

/** A server that takes connections and never says anything. */
export async function silentServer(): Promise<AsyncDisposable & { port: number }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => sockets.add(socket.on('error', () => {})))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

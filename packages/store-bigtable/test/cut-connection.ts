import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'

export interface CutConnection extends AsyncDisposable {
  /** For `apiEndpoint` of the client. */
  address: string
  cuts: () => number
}

/** A way to a server that is cut after every so many answers, before the last one gets through. */
export async function cutsOften(target: string, answers: number): Promise<CutConnection> {
  const [host, port] = target.split(':')
  const open = new Set<Socket>()
  let cuts = 0
  let seen = 0
  const server = createServer((client) => {
    const upstream = connect(Number(port), host)
    const end = (): void => {
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on('error', end).on('close', () => {
        open.delete(socket)
        end()
      })
    }
    client.on('data', (data) => upstream.write(data))
    upstream.on('data', (data) => {
      if (++seen % answers !== 0) return client.write(data)
      cuts++
      return end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    cuts: () => cuts,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

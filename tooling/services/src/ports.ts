import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'

/** Whether somebody listens on a port, of this machine unless another is named. */
export async function listens(port: number, host = '127.0.0.1'): Promise<boolean> {
  const socket = connect(port, host)
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/** The first of `count` ports in a row that nobody uses, looking from `from` on in steps of `count`. */
export async function freePorts(from: number, count: number): Promise<number> {
  for (let first = from; first + count <= 65_536; first += count) {
    const ports = Array.from({ length: count }, (_, i) => first + i)
    if ((await Promise.all(ports.map(isFree))).every(Boolean)) return first
  }
  throw new Error(`There are no ${count} free ports in a row from ${from} on.`)
}

/** A port that the system gives. */
export async function anyFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    server.close()
    await once(server, 'close')
    return true
  } catch {
    return false
  }
}

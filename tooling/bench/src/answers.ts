import { once } from 'node:events'
import { connect } from 'node:net'

/** Whether somebody listens at `HOST:PORT`. */
export async function answers(address: string): Promise<boolean> {
  const [, host, port] = /^(.*):(\d+)$/.exec(address)!
  const socket = connect(Number(port), host)
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

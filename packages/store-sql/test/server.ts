import { connect } from 'node:net'
import { describe } from 'vitest'

const STANDARD = { postgres: 'postgres://postgres@127.0.0.1:5432/test', mysql: 'mysql://root@127.0.0.1:3306/test' }

export type ServerName = keyof typeof STANDARD

/**
 * The address of a server: from `KEEPSAKE_POSTGRES_URL` or `KEEPSAKE_MYSQL_URL`, else the standard port of this machine if
 * something listens there, else `undefined`, and a skipped test says so. In CI a server that is missing is a failure.
 */
export async function serverUrl(name: ServerName): Promise<string | undefined> {
  const variable = `KEEPSAKE_${name.toUpperCase()}_URL`
  const given = process.env[variable]
  if (given !== undefined && given !== '') return given
  if (await listens(new URL(STANDARD[name]))) return STANDARD[name]
  if (process.env['CI']) throw new Error(`CI must start ${name} and set ${variable}.`)
  describe.skip(`${name} (skipped: nothing listens on its standard port, and ${variable} is not set)`, () => {})
  return undefined
}

function listens({ hostname, port }: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => resolve(false))
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
}

import { mariadb } from './mariadb.ts'
import { listens } from './ports.ts'
import { postgres } from './postgres.ts'
import { redis } from './redis.ts'

/** Servers whose data a test may write into wherever they listen: each test has a place of its own there. */
const standard = new Map([postgres, mariadb, redis].map((service) => [service.variable, service]))

/**
 * The address of a server for a test: what the variable says, such as `KEEPSAKE_POSTGRES_URL`, else the standard one if
 * something listens there, else `undefined`, and the test says that it is skipped. In CI a server that is missing is a
 * failure.
 */
export async function serverUrl(variable: string): Promise<string | undefined> {
  const given = process.env[variable]
  if (given !== undefined && given !== '') return given
  const service = standard.get(variable)
  if (service !== undefined && (await listens(service.port))) return service.address(service.port)
  if (process.env['CI']) throw new Error(`CI must start the server whose address ${variable} says.`)
  return undefined
}

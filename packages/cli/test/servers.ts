import { listens } from '@keepsake/services'

/** Where servers listen unless they are told otherwise, as `tooling/services` starts them. */
const STANDARD: Readonly<Record<string, { port: number; address: string }>> = {
  KEEPSAKE_POSTGRES_URL: { port: 5432, address: 'postgres://postgres@127.0.0.1:5432/test' },
  KEEPSAKE_MYSQL_URL: { port: 3306, address: 'mysql://root@127.0.0.1:3306/test' },
  KEEPSAKE_REDIS_URL: { port: 6379, address: 'redis://127.0.0.1:6379' },
}

/**
 * The address of a server: what a variable says, else the standard one if something listens there, else `undefined`. In
 * CI a server that is missing is a failure.
 */
export async function serverUrl(variable: string): Promise<string | undefined> {
  const given = process.env[variable]
  if (given !== undefined && given !== '') return given
  const standard = STANDARD[variable]
  if (standard !== undefined && (await listens(standard.port))) return standard.address
  if (process.env['CI']) throw new Error(`CI must start the server whose address ${variable} says.`)
  return undefined
}

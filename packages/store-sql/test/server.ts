import { serverUrl as urlOf } from '@keepsake/services'
import { describe } from 'vitest'

export type ServerName = 'postgres' | 'mysql'

/** The address of a server, from `KEEPSAKE_POSTGRES_URL` or `KEEPSAKE_MYSQL_URL`; where there is none, a skipped test says so. */
export async function serverUrl(name: ServerName): Promise<string | undefined> {
  const variable = `KEEPSAKE_${name.toUpperCase()}_URL`
  const url = await urlOf(variable)
  if (url === undefined)
    describe.skip(`${name} (skipped: nothing listens on its standard port, and ${variable} is not set)`, () => {})
  return url
}

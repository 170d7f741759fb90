import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { keepsake, tempFolder } from './keepsake.ts'
import { serverUrl } from '@keepsake/services'

/** Addresses of places on real servers that have no tables of ours, and get none. */
const PLACES: Record<string, (url: string) => string> = {
  KEEPSAKE_POSTGRES_URL(url) {
    const address = new URL(url)
    address.searchParams.set('options', '-csearch_path=keepsake_nowhere')
    return address.href
  },
  // The server's own database.
  KEEPSAKE_MYSQL_URL: (url) => Object.assign(new URL(url), { pathname: '/mysql' }).href,
  BIGTABLE_EMULATOR_HOST: () => `bigtable://keepsake/test/nothing-${randomBytes(4).toString('hex')}`,
}

for (const [variable, addressOf] of Object.entries(PLACES)) {
  const url = await serverUrl(variable)
  if (url === undefined) {
    it.skip(`a store that is not provisioned: ${variable} is not set`, () => {})
    continue
  }
  describe(`a store that is not provisioned, at ${variable}`, () => {
    it.each([['verify'], ['entities'], ['threads'], ['migrate']])(
      '%s exits with 4 and says what to run',
      async (name) => {
        const uri = addressOf(url)
        const folder = tempFolder()
        const args = name === 'migrate' ? [name, uri, 'sqlite:new.db'] : [name, '--store', uri]
        const { code, stdout, stderr } = await keepsake(folder, args, { METADATA_SERVER_DETECTION: 'none' })
        expect([code, stdout]).toEqual([4, ''])
        expect(stderr).toMatch(/^keepsake: .*\bkeepsake provision\b[^\n]*\n$/)
      },
    )
  })
}

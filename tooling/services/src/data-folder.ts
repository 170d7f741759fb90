import { createHash } from 'node:crypto'
import { tmpdir, userInfo } from 'node:os'
import { join, resolve } from 'node:path'

/**
 * Where services started from this checkout keep their data, logs and process ids. Not in the checkout: database servers
 * that run as their own user could not read it in somebody's home folder. KEEPSAKE_SERVICES_DIR names another place.
 */
export function dataFolder(): string {
  const set = process.env['KEEPSAKE_SERVICES_DIR']
  if (set) return resolve(set)
  const checkout = createHash('sha256')
    .update(import.meta.dirname)
    .digest('hex')
    .slice(0, 8)
  return join(tmpdir(), `keepsake-services-${userInfo().uid}-${checkout}`)
}

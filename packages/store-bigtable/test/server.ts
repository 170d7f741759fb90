import { listens } from '@keepsake/services'

/** Where Google's own emulator listens unless it is told otherwise. */
const STANDARD_PORT = 8086

/**
 * The host of a Bigtable emulator, also put where the client looks for it; `undefined` where there is none, and an error
 * where CI should have started one.
 */
export async function serverUrl(): Promise<string | undefined> {
  const host =
    process.env['BIGTABLE_EMULATOR_HOST'] ?? ((await listens(STANDARD_PORT)) ? `127.0.0.1:${STANDARD_PORT}` : undefined)
  if (host === undefined && process.env['CI']) throw new Error('CI must start Bigtable and set BIGTABLE_EMULATOR_HOST.')
  if (host !== undefined) process.env['BIGTABLE_EMULATOR_HOST'] = host
  // The client looks for Google's metadata server even where an emulator is named.
  process.env['METADATA_SERVER_DETECTION'] = 'none'
  return host
}

import type { Table } from '@google-cloud/bigtable'
import { KeepsakeError } from '@keepsake/core'
import { isMissingModule } from './bigtable-errors.ts'
import type { BigtableSettings } from './options.ts'

/** The table of the settings, ready for requests. The client is heavy, so it is imported no earlier than this. */
export async function connect({ source, requestTimeoutMs }: BigtableSettings): Promise<Table> {
  const table = 'bigtable' in source ? source : await openTable(source)
  await checkCredentials(table, requestTimeoutMs)
  return table
}

async function openTable(names: Exclude<BigtableSettings['source'], Table>): Promise<Table> {
  const { Bigtable } = await importClient()
  const client = new Bigtable({
    projectId: names.project,
    ...(names.appProfile !== undefined && { appProfileId: names.appProfile }),
    // The client would report its own latencies to Cloud Monitoring, which takes a right of its own and looks for
    // Google's metadata server on every machine. Who wants that passes a table of a client that has it.
    metricsEnabled: false,
  })
  return client.instance(names.instance).table(names.table)
}

async function importClient(): Promise<typeof import('@google-cloud/bigtable')> {
  try {
    return await import('@google-cloud/bigtable')
  } catch (error) {
    if (!isMissingModule(error)) throw error
    throw new KeepsakeError(
      'unsupported',
      'The Bigtable store needs the package @google-cloud/bigtable, which is not installed: pnpm add @google-cloud/bigtable',
      { cause: error, details: { package: '@google-cloud/bigtable' } },
    )
  }
}

/**
 * Without credentials the client does not reject its requests: it ends the process, by a rejection that nobody can
 * handle. So they are asked for first. Where the connection has its own, as with an emulator, none are needed.
 */
async function checkCredentials({ bigtable }: Table, timeoutMs: number): Promise<void> {
  if (bigtable.options.BigtableClient?.sslCreds !== undefined) return
  const timeUp = Promise.withResolvers<never>()
  const timer = setTimeout(() => timeUp.reject(new Error('No answer in time.')), timeoutMs)
  try {
    await Promise.race([bigtable.auth.getClient(), timeUp.promise])
  } catch (error) {
    throw new KeepsakeError(
      'unavailable',
      'There are no Google credentials here, or they cannot be used. Set GOOGLE_APPLICATION_CREDENTIALS, or run `gcloud auth application-default login`.',
      { cause: error },
    )
  } finally {
    clearTimeout(timer)
  }
}

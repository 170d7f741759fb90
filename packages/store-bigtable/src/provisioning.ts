import { KeepsakeError, type CallOptions } from '@keepsake/core'
import type { protos } from '@google-cloud/bigtable'
import type { BigtableClient } from './bigtable-client.ts'
import { ALREADY_EXISTS, codeOf, NOT_FOUND } from './bigtable-errors.ts'
import { deleteMutations, FAMILY } from './cells.ts'
import { collectsCurrentCells } from './gc-rule.ts'
import { onlySeq } from './row-filters.ts'
import type { TableRequests } from './table-requests.ts'

type Families = NonNullable<protos.google.bigtable.admin.v2.ITable['columnFamilies']>

const rule = { versions: 1 }
/** No row of ours has this key, as it lacks the separator. */
const NO_ROW = 'keepsake'

/** Creates the table, or the family in a table that is there. */
export async function provision(client: BigtableClient, options?: CallOptions): Promise<void> {
  const families = await familiesOf(client, options)
  if (families === undefined) {
    await unless(ALREADY_EXISTS, () =>
      client.send((table, gaxOptions) => table.create({ families: [{ name: FAMILY, rule }], gaxOptions }), options),
    )
  }
  // Who lost a race to create the table may have lost it to somebody who made it without the family.
  if (!(FAMILY in ((await familiesOf(client, options)) ?? {}))) {
    await unless(ALREADY_EXISTS, () =>
      client.send((table, gaxOptions) => table.createFamily(FAMILY, { rule, gaxOptions }), options),
    )
  }
  checkRule((await familiesOf(client, options))?.[FAMILY])
}

/** Removes what `provision` creates, with all rows: the table, or of a table that has other families only ours. */
export async function unprovision(client: BigtableClient, options?: CallOptions): Promise<void> {
  const families = await familiesOf(client, options)
  if (families === undefined || !(FAMILY in families)) return
  const onlyOurs = Object.keys(families).length === 1
  await unless(NOT_FOUND, () =>
    client.send(async (table, gaxOptions) => {
      await (onlyOurs ? table.delete(gaxOptions) : table.family(FAMILY).delete(gaxOptions))
    }, options),
  )
}

/** Rejects with `not_provisioned` or `unsupported` where the table is not ready for use. */
export async function verify(client: BigtableClient, requests: TableRequests, options?: CallOptions): Promise<void> {
  const families = await familiesOf(client, options)
  if (families === undefined) {
    throw new KeepsakeError(
      'not_provisioned',
      'The Bigtable table does not exist. Check the names of project, instance and table, or run `keepsake provision`.',
    )
  }
  if (!(FAMILY in families)) {
    throw new KeepsakeError(
      'not_provisioned',
      `The Bigtable table has no column family ${FAMILY}. Run \`keepsake provision\`, which adds it.`,
    )
  }
  checkRule(families[FAMILY])
  // Changes nothing, but is refused where the app profile or the credentials do not allow what guards need.
  await requests.change(NO_ROW, onlySeq, { onMatch: deleteMutations }, options)
}

/** The column families of the table; `undefined` where there is no table. */
async function familiesOf(client: BigtableClient, options?: CallOptions): Promise<Families | undefined> {
  return await unless(NOT_FOUND, () =>
    client.send(async (table, gaxOptions) => {
      const [metadata] = (await table.getMetadata({ gaxOptions })) as [protos.google.bigtable.admin.v2.ITable]
      return metadata.columnFamilies ?? {}
    }, options),
  )
}

function checkRule(family: Families[string] | undefined): void {
  if (!collectsCurrentCells(family?.gcRule)) return
  throw new KeepsakeError(
    'unsupported',
    `The column family ${FAMILY} has a garbage-collection rule by age, which would remove rows. Set it to one version (maxversions=1), or use another table.`,
  )
}

/** `undefined` where it fails with this code of gRPC, as somebody else has done it. */
async function unless<T>(code: number, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (KeepsakeError.isInstance(error) && codeOf(error.cause) === code) return undefined
    throw error
  }
}

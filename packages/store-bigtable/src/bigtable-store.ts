import { defineStore, type RowStore } from '@keepsake/core'
import { bigtableClient } from './bigtable-client.ts'
import { bigtableRows } from './bigtable-rows.ts'
import { bigtableLimits } from './limits.ts'
import { checkBigtableOptions, type BigtableStoreOptions } from './options.ts'
import { provision, unprovision, verify } from './provisioning.ts'
import { tableRequests } from './table-requests.ts'

/**
 * Rows in a table of Google Cloud Bigtable, by `@google-cloud/bigtable`. Throws `invalid_value` for options that cannot be
 * used. The client is imported, and connects, when the store is first used. BIGTABLE_EMULATOR_HOST leads to an emulator.
 *
 * - A write is one CheckAndMutateRow, and one or two reads more where the guard refuses it. A call of several rows sends
 *   them side by side, up to 100 at a time. `load` is one request for 500 rows, `scan` one for all, `entities` one for up
 *   to 16 entities, and at least one for each with more than 15 rows.
 * - An acknowledged write is on the disks of the cluster that took it; other clusters of the instance get it later.
 * - Guards need an app profile with single-cluster routing that allows single-row transactions; `verify` tries it out.
 * - Requests without an answer are sent again for up to `retryTimeoutMs`, then the call rejects with `unavailable`.
 */
export function bigtableStore(options: BigtableStoreOptions): RowStore {
  const client = bigtableClient(checkBigtableOptions(options))
  const requests = tableRequests(client)
  const rows = bigtableRows(requests)
  return defineStore({
    name: 'bigtable',
    limits: bigtableLimits,
    load: (ids, o) => rows.load(ids, o),
    scan: (entity, range, o) => rows.scan(entity, range, o),
    entities: (range, o) => rows.entities(range, o),
    write: (writes, o) =>
      rows.write(
        writes.map((row) => ({ ...row, rec: new Uint8Array(row.rec) })),
        o,
      ),
    remove: (ids, o) => rows.remove(ids, o),
    removeEntity: (entity, o) => rows.removeEntity(entity, o),
    provision: (o) => (o?.down === true ? unprovision(client, o) : provision(client, o)),
    verify: (o) => verify(client, requests, o),
    close: () => client.close(),
  })
}

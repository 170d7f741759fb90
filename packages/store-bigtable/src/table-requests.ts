import type { protos } from '@google-cloud/bigtable'
import { compareUtf8, type CallOptions } from '@keepsake/core'
import type { BigtableClient } from './bigtable-client.ts'
import { readPage, type WhichRows } from './read-page.ts'
import type { TableRow } from './row-assembler.ts'
import type { RowFilter } from './row-filters.ts'

type Mutation = protos.google.bigtable.v2.IMutation
type Request = protos.google.bigtable.v2.ICheckAndMutateRowRequest
type Response = protos.google.bigtable.v2.ICheckAndMutateRowResponse

/** The two requests that the store is made of. */
export interface TableRequests {
  /** Reads rows in the order of their keys; those that are not there are left out. */
  read(which: WhichRows, filter: RowFilter, options?: CallOptions): Promise<TableRow[]>
  /**
   * Changes a row if something of it passes the filter (`onMatch`), or if nothing does (`onNoMatch`): one step of the
   * server. Returns whether it passed.
   */
  change(rowKey: string, filter: RowFilter, change: Change, options?: CallOptions): Promise<boolean>
}

export type Change = { onMatch: readonly Mutation[] } | { onNoMatch: readonly Mutation[] }

export function tableRequests(client: BigtableClient): TableRequests {
  return {
    async read(which, filter, options) {
      let found: TableRow[] = []
      for (let rest = which; ;) {
        const { rows, complete } = await client.send(
          (table, gaxOptions) => readPage(table, rest, filter, gaxOptions, options?.signal),
          options,
        )
        found = found.concat(rows)
        if (complete) return found
        const next = restAfter(rest, rows)
        if (next === undefined) return found
        rest = next
      }
    },

    change: (rowKey, predicateFilter, change, options) =>
      client.send(({ bigtable, name }, gaxOpts) => {
        const reqOpts = {
          tableName: name,
          appProfileId: bigtable.appProfileId,
          rowKey: Buffer.from(rowKey),
          predicateFilter,
          trueMutations: 'onMatch' in change ? [...change.onMatch] : [],
          falseMutations: 'onNoMatch' in change ? [...change.onNoMatch] : [],
        } satisfies { [K in keyof Request]: Request[K] | undefined }
        const { promise, resolve, reject } = Promise.withResolvers<boolean>()
        bigtable.request<Response>(
          { client: 'BigtableClient', method: 'checkAndMutateRow', reqOpts, gaxOpts },
          (error, response) => (error ? reject(error) : resolve(response?.predicateMatched === true)),
        )
        return promise
      }, options),
  }
}

/** What is still to be read after these rows. */
function restAfter(which: WhichRows, rows: readonly TableRow[]): WhichRows | undefined {
  const { rowKey } = rows.at(-1)!
  if ('keys' in which) {
    // Those before it that did not come are not there.
    const keys = which.keys.filter((key) => compareUtf8(key, rowKey) > 0)
    return keys.length === 0 ? undefined : { keys }
  }
  const limit = which.limit - rows.length
  return limit <= 0 ? undefined : { range: { ...which.range, from: { rowKey, inclusive: false } }, limit }
}
